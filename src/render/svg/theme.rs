//! The look of the pictures, by day and by night.

/// Colours and fonts. Colours are written out rather than held in variables, so that programs that
/// know no variables show the light ones.
pub const STYLE: &str = "\
.dc{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
.dc text{fill:#1f2328}
.dc .muted{fill:#59636e}
.dc .title{font-size:19px;font-weight:600}
.dc .sub,.dc .how,.dc .name{font-size:13px}
.dc .name{font-weight:600}
.dc .label,.dc .remark,.dc .legend{font-size:12px}
.dc .remark,.dc .tick,.dc .label{font-variant-numeric:tabular-nums}
.dc .tick{font-size:11px}
.dc .bg{fill:#fff}
.dc .card{fill:#f6f8fa}
.dc .grid{stroke:#d1d9e0;stroke-width:1}
.dc .axis{stroke:#818b98;stroke-width:1}
.dc .wait{fill:#2f6fb3}
.dc .blocked{stroke:#c4320a;stroke-width:1}
.dc .hatch-back{fill:#fde3d8}
.dc .hatch-line{stroke:#c4320a;stroke-width:2.6}
.dc .late{stroke:#9a6700;stroke-width:1}
.dc .dot-back{fill:#fff3cd}
.dc .dot{fill:#9a6700}
.dc .due{stroke:#1f2328;stroke-width:1.6;stroke-dasharray:2.4 2}
.dc .hop{stroke:#fff;stroke-width:3.4}
.dc .hop-core{stroke:#1f2328;stroke-width:1.4}
.dc .left{fill:#1f2328;stroke:#f6f8fa;stroke-width:1.5}
.dc .left-ring{fill:#fff;stroke:#1f2328;stroke-width:2}
.dc .lost{stroke:#cf222e;stroke-width:2.6;stroke-linecap:round;fill:none}
.dc .bad{fill:#a40e26}
.dc .end{stroke:#59636e;stroke-width:1.2;stroke-dasharray:5 4}
.dc .s0{stroke:#0b62a8;fill:#0b62a8}
.dc .s1{stroke:#b8500a;fill:#b8500a}
.dc .s2{stroke:#0a7d5a;fill:#0a7d5a}
.dc .s3{stroke:#a8367f;fill:#a8367f}
.dc .s4{stroke:#7a6200;fill:#7a6200}
.dc .s5{stroke:#6639ba;fill:#6639ba}
.dc .s6{stroke:#1b7c83;fill:#1b7c83}
.dc .s7{stroke:#59636e;fill:#59636e}
.dc .line{fill:none;stroke-width:2;stroke-linejoin:round}
.dc .area{stroke:none;fill-opacity:.1}
.dc .spot{stroke:none}
@media (prefers-color-scheme:dark){
.dc text{fill:#e6edf3}
.dc .muted{fill:#9aa4af}
.dc .bg{fill:#0d1117}
.dc .card{fill:#161b22}
.dc .grid{stroke:#30363d}
.dc .axis{stroke:#6e7681}
.dc .wait{fill:#4d94e0}
.dc .blocked{stroke:#ff8a5c}
.dc .hatch-back{fill:#4a2313}
.dc .hatch-line{stroke:#ff8a5c}
.dc .late{stroke:#e3b341}
.dc .dot-back{fill:#3d2e00}
.dc .dot{fill:#e3b341}
.dc .due{stroke:#e6edf3}
.dc .hop{stroke:#161b22}
.dc .hop-core{stroke:#e6edf3}
.dc .left{fill:#e6edf3;stroke:#161b22}
.dc .left-ring{fill:#0d1117;stroke:#e6edf3}
.dc .lost{stroke:#ff7b72}
.dc .bad{fill:#ff9492}
.dc .end{stroke:#9aa4af}
.dc .s0{stroke:#58a6ff;fill:#58a6ff}
.dc .s1{stroke:#f0883e;fill:#f0883e}
.dc .s2{stroke:#3fb950;fill:#3fb950}
.dc .s3{stroke:#f778ba;fill:#f778ba}
.dc .s4{stroke:#d4b106;fill:#d4b106}
.dc .s5{stroke:#bc8cff;fill:#bc8cff}
.dc .s6{stroke:#39c5cf;fill:#39c5cf}
.dc .s7{stroke:#9aa4af;fill:#9aa4af}
}
";

/// The dashes by which lines can be told apart without their colours.
pub const DASHES: [&str; 8] = ["", "8 4", "2 3", "10 3 2 3", "5 2", "1 4", "12 6", "3 6"];

//! TLS, to the broker and to its API: through doors that speak it, before ports that need not.

use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use crate::stage::{Stage, stage};
use crate::support::command::Ended;

const FILE: &str = "
    queues: { done: {} }
    delays: { d: { target: { queue: done }, tiers: { delays: [100ms] } } }";

/// An authority and whom it vouches for, and the folder with the PEM files.
struct Pki {
    authority: Certificate,
    issuer: Issuer<'static, KeyPair>,
    folder: PathBuf,
}

impl Pki {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("delayctl-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let authority = params.self_signed(&key).unwrap();
        std::fs::write(folder.join("ca.pem"), authority.pem()).unwrap();
        Pki { authority, issuer: Issuer::new(params, key), folder }
    }

    /// A certificate for this name.
    fn issue(&self, name: &str) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// A client's certificate, in the files `NAME.pem` and `NAME.key`.
    fn issue_to_client(&self, name: &str) {
        let (certificate, key) = self.issue(name);
        std::fs::write(self.folder.join(format!("{name}.pem")), certificate.pem()).unwrap();
        std::fs::write(self.folder.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).to_str().unwrap().to_owned()
    }

    /// A server that shows a certificate for this name, and asks for one of this authority's.
    fn server(&self, name: &str, asks: bool) -> TlsAcceptor {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let builder = if asks {
            let mut roots = RootCertStore::empty();
            roots.add(self.authority.der().clone()).unwrap();
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let (certificate, key) = self.issue(name);
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = builder.with_single_cert(vec![certificate.der().clone()], key).unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}

impl Drop for Pki {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A door to this address; returns its port. It is open until the test binary ends.
fn door(acceptor: TlsAcceptor, to: String) -> u16 {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap().port()).unwrap();
            while let Ok((outside, _)) = listener.accept().await {
                let (acceptor, to) = (acceptor.clone(), to.clone());
                tokio::spawn(async move {
                    let mut outside = acceptor.accept(outside).await?;
                    copy_bidirectional(&mut outside, &mut TcpStream::connect(to).await?).await
                });
            }
        });
    });
    told.recv().unwrap()
}

/// Where a URL leads.
fn address(url: &str, port: u16) -> String {
    let url = url::Url::parse(url).unwrap();
    format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or(port))
}

/// This URL through a door, as `localhost`.
fn through(acceptor: &TlsAcceptor, url: &str, scheme: &str, usual: u16) -> String {
    let (_, rest) = url.split_once("://").unwrap();
    let mut outside = url::Url::parse(&format!("{scheme}://{rest}")).unwrap();
    outside.set_host(Some("localhost")).unwrap();
    outside.set_port(Some(door(acceptor.clone(), address(url, usual)))).unwrap();
    outside.to_string()
}

/// The flags that lead to the stage's broker through doors that show this certificate.
struct Doors {
    uri: String,
    api: String,
}

impl Doors {
    fn to(stage: &Stage, acceptor: &TlsAcceptor) -> Self {
        let uri = through(acceptor, &stage.uri, "amqps", 5672);
        Doors { uri, api: through(acceptor, &stage.api, "https", 15672) }
    }

    #[track_caller]
    fn run(&self, stage: &Stage, command: &str, arguments: &[&str]) -> Ended {
        let doors = ["--uri", &self.uri, "--management-url", &self.api];
        stage.run(command, &[&doors, arguments].concat())
    }
}

#[test]
fn an_authority_of_ones_own() {
    let stage = stage!(FILE);
    let pki = Pki::new("own-authority");
    let doors = Doors::to(&stage, &pki.server("localhost", false));
    let ca = pki.file("ca.pem");
    let run = |command: &str, arguments: &[&str]| {
        doors.run(&stage, command, &[&["--ca-cert", &ca], arguments].concat())
    };
    run("declare", &[]).expect(0).says("created");
    run("publish", &["--delay", "100ms", "-n", "40"]).expect(0);
    let expected = ["--expect-count", "40", "--max-early", "0", "--timeout", "20s"];
    run("consume", &[&["--count", "40"], &expected[..]].concat()).expect(0);
    // What only the API tells was read through its door.
    run("inspect", &["--check"]).expect(0).keeps("saw names only");

    let ended = doors.run(&stage, "inspect", &[]).expect(69);
    ended.says("TLS").says("--ca-cert").says("UnknownIssuer");
}

#[test]
fn another_name_than_the_certificates() {
    let stage = stage!(FILE);
    let pki = Pki::new("another-name");
    let doors = Doors::to(&stage, &pki.server("broker.example", false));
    let ended = doors.run(&stage, "inspect", &["--ca-cert", &pki.file("ca.pem")]).expect(69);
    ended.says("not valid for name");
}

#[test]
fn a_client_with_and_without_its_certificate() {
    let stage = stage!(FILE);
    let pki = Pki::new("client");
    pki.issue_to_client("client");
    let doors = Doors::to(&stage, &pki.server("localhost", true));
    let [ca, cert, key] = ["ca.pem", "client.pem", "client.key"].map(|name| pki.file(name));
    let known = ["--ca-cert", &ca, "--cert", &cert, "--key", &key];
    doors.run(&stage, "declare", &known).expect(0);
    doors
        .run(&stage, "inspect", &[&known[..], &["--check"]].concat())
        .expect(0)
        .keeps("saw names only");
    doors.run(&stage, "declare", &known[..2]).expect(69).says("ertificate");
}

#[test]
fn tls_where_none_is_spoken_and_the_reverse() {
    let stage = stage!(FILE);
    let secure = stage.uri.replacen("amqp:", "amqps:", 1);
    let alone = ["--management-url", "none", "--uri"];
    let ended = stage.run("declare", &[&alone[..], &[&secure]].concat()).expect(69);
    ended.says("nothing there speaks TLS: use the scheme `amqp`");

    let pki = Pki::new("reverse");
    let doors = Doors::to(&stage, &pki.server("localhost", false));
    let plain = doors.uri.replacen("amqps:", "amqp:", 1);
    let ended = stage.run("declare", &[&alone[..], &[&plain]].concat()).expect(69);
    ended.says("amqps");
}

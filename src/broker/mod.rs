//! The broker: the only importer of lapin and of the HTTP client.

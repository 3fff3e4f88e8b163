use shell::programs::Registry;

use super::near::Name;
use super::popular;

const ALL: [Registry; 5] =
    [Registry::Pypi, Registry::Npm, Registry::Crates, Registry::Go, Registry::RubyGems];

fn neighbour(registry: Registry, text: &str) -> Option<&'static str> {
    popular::neighbour(registry, &Name::of(registry, text)?)
}

#[test]
fn lists_are_sorted_and_their_own_names_pass() {
    for registry in ALL {
        let names: Vec<&str> =
            popular::list(registry).lines().map(|line| line.trim_end_matches('*')).collect();
        assert!(names.is_sorted(), "{registry:?}");
        assert!(names.len() >= 300, "{registry:?} has {}", names.len());
        for name in names {
            assert_eq!(neighbour(registry, name), None, "{registry:?} {name}");
        }
    }
}

#[test]
fn misspelt_names_are_known() {
    for (registry, name, meant) in [
        (Registry::Pypi, "reqeusts", "requests"),
        (Registry::Pypi, "request", "requests"),
        (Registry::Pypi, "requestss==2.0", "requests"),
        (Registry::Pypi, "python-requests", "requests"),
        (Registry::Pypi, "pandass[excel]>=1", "pandas"),
        (Registry::Pypi, "nunpy", ""),
        (Registry::Pypi, "nmupy", "numpy"),
        (Registry::Pypi, "djngo", "django"),
        (Registry::Pypi, "dateutil-python", "python-dateutil"),
        (Registry::Pypi, "beautifulsoop4", "beautifulsoup4"),
        (Registry::Pypi, "crypt0graphy", "cryptography"),
        (Registry::Npm, "crossenv", "cross-env"),
        (Registry::Npm, "cross-env.js", "cross-env"),
        (Registry::Npm, "expres@4", "express"),
        (Registry::Npm, "lodahs", "lodash"),
        (Registry::Npm, "lodash-js", "lodash"),
        (Registry::Npm, "nodemailer-js", "nodemailer"),
        (Registry::Npm, "discord.jss", "discord.js"),
        (Registry::Npm, "x@npm:axois", "axios"),
        (Registry::Crates, "serd_json", "serde_json"),
        (Registry::Crates, "rust-decimal", ""),
        (Registry::Crates, "rustdecimal", "rust_decimal"),
        (Registry::Crates, "tokioo", "tokio"),
        (Registry::Crates, "reqwset", "reqwest"),
        (Registry::Go, "github.com/gorila/mux@v1.8.0", "github.com/gorilla/mux"),
        (Registry::Go, "github.com/siruspen/logrus", "github.com/sirupsen/logrus"),
        (Registry::RubyGems, "nokogirl", "nokogiri"),
        (Registry::RubyGems, "rest_client", "rest-client"),
    ] {
        let expected = Some(meant).filter(|meant| !meant.is_empty());
        assert_eq!(neighbour(registry, name), expected, "{registry:?} {name}");
    }
}

#[test]
fn what_is_no_name_of_a_registry_passes() {
    for (registry, text) in [
        (Registry::Npm, "@acme/expres"),
        (Registry::Npm, "./expres"),
        (Registry::Npm, "user/expres"),
        (Registry::Pypi, "./reqeusts-1.0.whl"),
        (Registry::Pypi, "."),
        (Registry::Go, "./cmd/tool"),
        (Registry::Go, "example/internal"),
        (Registry::Go, "golang.org/x/tex"),
        (Registry::Pypi, "boto"),
        (Registry::Pypi, "jinja3"),
        (Registry::Crates, "sha4"),
    ] {
        assert_eq!(neighbour(registry, text), None, "{registry:?} {text}");
    }
}

#[test]
fn a_manifest_is_read_by_words() {
    let name = Name::of(Registry::Npm, "expres").unwrap();
    assert!(name.is_in("{\"expres\": \"^1\"}"));
    assert!(!name.is_in("{\"express\": \"^1\", \"x-expres\": 1}"));
}

//! What expressions of constants come to.

use super::*;

#[test]
fn constants_are_worked_out() {
    let python = |text: &str| {
        value(
            text,
            &Names { constants: [("p".to_owned(), Value::Text("/etc".into()))].into(), language: "python" },
        )
        .text()
    };
    for (expression, expected) in [
        ("'rm' + ' -rf ~'", "rm -rf ~"),
        ("'rm %s ~' % '-rf'", "rm -rf ~"),
        ("'rm {} {}'.format('-rf', p)", "rm -rf /etc"),
        ("f'rm -rf {p}'", "rm -rf /etc"),
        ("' '.join(['rm', '-rf', p])", "rm -rf /etc"),
        ("'~ fr- mr'[::-1]", "rm -rf ~"),
        ("chr(114)+chr(109)", "rm"),
        ("os.path.expanduser('~/x')", "~/x"),
        ("os.path.join('/', 'home')", "/home"),
        ("Path.home() / '.ssh/id_rsa'", "~/.ssh/id_rsa"),
        ("os.environ['HOME']", "~"),
        ("base64.b64decode('cm0gLXJmIH4=').decode()", "rm -rf ~"),
        ("bytes.fromhex('726d')", "rm"),
        ("'a' 'b'", "ab"),
        ("('x')", "x"),
    ] {
        assert_eq!(python(expression), expected, "{expression}");
    }
    let node = |text: &str| value(text, &Names { language: "javascript", ..Names::default() }).text();
    assert_eq!(node("Buffer.from('cm0=','base64').toString()"), "rm");
    assert_eq!(node("process.env.HOME + '/.ssh'"), "~/.ssh");
    assert_eq!(node("`rm ${'-rf'}`"), "rm -rf");
    let perl = |text: &str| {
        value(
            text,
            &Names { constants: [("c".to_owned(), Value::Text("rm".into()))].into(), language: "perl" },
        )
        .text()
    };
    assert_eq!(perl("\"$c -rf $ENV{HOME}\""), "rm -rf ~");
    assert_eq!(perl("q(rm -rf ~)"), "rm -rf ~");
}

#[test]
fn hostile_expressions_end() {
    let names = Names { language: "python", ..Names::default() };
    for text in [
        "(".repeat(50_000),
        "[".repeat(50_000),
        "f'{".repeat(5_000),
        "a.b(".repeat(5_000),
        "'".into(),
        "é\"é".into(),
        "-".repeat(9_999),
    ] {
        let _ = value(&text, &names);
    }
}

//! Looks at the code as a whole: does it fetch, decode or choose what it runs?

use super::literals::without_texts;
use crate::reader::Reader;
use crate::text::NET;

/// Words that mean that text comes over the network, or out of an encoding.
pub(super) const FETCHES: &[&str] = &[
    "urlopen",
    "requests.get",
    "requests.request",
    "urlretrieve",
    "http.client",
    "fetch(",
    "axios",
    "LWP",
    "HTTP::Tiny",
    "URI.open",
    "open-uri",
    "Net::HTTP",
    "file_get_contents('http",
    "file_get_contents(\"http",
    "curl_exec",
    "https.get",
    "http.get",
    "download.file",
    "httpx",
    "aiohttp",
    "socket.http",
    "get(\"http",
    "get('http",
    "require('https')",
    "require(\"https\")",
    "require('http')",
    "require(\"http\")",
    "getstore(",
    "XMLHttpRequest",
];

pub(super) const DECODES: &[&str] = &[
    "b64decode",
    "base64.decode",
    "decode64",
    "decode_base64",
    "base64_decode",
    "atob(",
    "unhexlify",
    "fromhex",
    "'base64'",
    "\"base64\"",
    "codecs.decode",
    "rot13",
    "unpack(",
    "decompress(",
    "marshal.loads",
    "pack(",
];

/// Words by which code takes some of what it finds in a folder, and not all.
pub(super) const CHOOSES: &[&str] =
    &["if ", "if(", "unless ", "filter", "grep", "match", "endswith", "fnmatch", "suffix"];

/// Words by which code of any language starts a command.
pub(super) const STARTS: &[&str] = &[
    "callCommand",
    "cmd",
    "command",
    "exec",
    "popen",
    "process",
    "Process",
    "run",
    "sh ",
    "shell",
    "spawn",
    "system",
    "!",
    "call-process",
];

impl Reader<'_> {
    /// What shows only in the program as a whole: reverse shells and fork bombs.
    pub(super) fn whole_program(&mut self, code: &str, fetches: bool) {
        let whole = code;
        let code = &without_texts(code);
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        let connects = has(&[
            "fsockopen",
            "net.connect",
            "net.Socket",
            "TCPSocket",
            "net.Dial",
            "/inet/tcp",
            "ztcp",
            "IO::Socket",
            "socket(S",
            "syscall.Connect",
            "createServer",
            "ServerSocket",
        ]) || (has(&["socket", "require(\"net\")", "require('net')"])
            && has(&["connect(", "connect ", "create_connection", "[socket", "accept(", "create_server"]))
            || code.contains("Sockets") && has(&["connect(", "listen("]);
        // What comes in is run, line by line.
        let obeys =
            has(&["popen(", "exec {*}", "eval $"]) && has(&["gets", "receive(", "recv("]) || obeys(code);
        let shells = [
            "/bin/sh",
            "/bin/bash",
            "sh -i",
            "cmd.exe",
            "sh <&",
            "pty.spawn",
            "\"sh\"",
            "'sh'",
            "\"bash\"",
            "'bash'",
            "system$_",
            "popen(cmd",
            "exec sh -c",
            "getline",
        ];
        let shell = shells.iter().any(|word| whole.contains(word));
        let joined = has(&["dup2", "fdopen"]) && has(&["socket", "Socket"]);
        // A program by its address.
        let addressed = [
            "import('http",
            "import(\"http",
            "source('http",
            "source(\"http",
            "include(download(",
            "source http",
        ];
        if has(&addressed) {
            self.unseen("import", &NET.to_string());
        }
        if (connects && (shell || obeys) || joined)
            && (self.script.is_none() || whole.contains("/bin/sh") || whole.contains("/bin/bash"))
        {
            self.unseen("reverse shell", &NET.to_string());
        }
        let loops = has(&["while", "loop", "for(;;)", "for (;;)", "fork() for", ".fork() for"]);
        if code.contains("fork") && loops && !code.contains("forkserver") && !fetches {
            self.reading.fork_bomb = true;
        }
        // The same by way of programs that nobody waits for.
        let endless = [
            "while true",
            "while True",
            "while(true)",
            "while (true)",
            "while 1",
            "while(1)",
            "for(;;)",
            "loop do",
        ];
        let starts =
            has(&["spawn(", "Popen(", "Process.spawn"]) || has(&["os.execute("]) && whole.contains('&');
        let waits = has(&["wait", "sleep(", "break", "communicate", "recv", "readline", "await", "on("]);
        if self.script.is_none() && has(&endless) && starts && !waits {
            self.reading.fork_bomb = true;
        }
    }
}

/// Words by which code starts what a text says.
const STARTERS: &[&str] = &[
    "subprocess.",
    "os.system(",
    "popen(",
    "Popen(",
    "check_output(",
    "Command(",
    "execSync(",
    "exec(",
    "spawn(",
    "system(",
    "run(",
    "shell_exec(",
    "eval(",
];

/// Whether code starts what it was sent: a name is given what comes in over a connection, or what is made of that, and is started.
fn obeys(code: &str) -> bool {
    const RECEIVES: &[&str] =
        &[".recv(", ":receive(", "recvfrom(", "readline(sock", ".readline()", "fread($sock", "fgets($sock"];
    if !RECEIVES.iter().any(|word| code.contains(word)) {
        return false;
    }
    let mut received: Vec<&str> = Vec::new();
    let names = |text: &str, name: &str| {
        text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
            .any(|word| word.trim_start_matches('$') == name)
    };
    for line in code.split(['\n', ';']).take(400) {
        let started = STARTERS.iter().find_map(|word| line.split_once(word)).map(|(_, given)| given);
        if started.is_some_and(|given| {
            RECEIVES.iter().any(|word| given.contains(word)) || received.iter().any(|name| names(given, name))
        }) {
            return true;
        }
        let Some((name, value)) = line.split_once('=').filter(|(_, value)| !value.starts_with('=')) else {
            continue;
        };
        let comes_in = RECEIVES.iter().any(|word| value.contains(word))
            || received.iter().any(|name| names(value, name));
        if comes_in {
            let name = name
                .trim()
                .trim_start_matches("local ")
                .trim_start_matches("let ")
                .trim_start_matches("const ");
            let given = name.split(',').map(|name| name.trim().trim_start_matches('$'));
            received.extend(given.filter(|name| !name.is_empty()));
        }
    }
    false
}

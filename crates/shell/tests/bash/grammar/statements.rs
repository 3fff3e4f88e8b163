//! Statements of several words: loops, functions, pipelines, documents.

use super::{Grammar, WORDS};

impl Grammar {
    pub(super) fn for_loop(&mut self) -> String {
        let words: Vec<String> = (0..=self.below(3)).map(|_| self.word()).collect();
        let name = self.new_text();
        let body = format!("{}\n{}", self.statement(), self.call());
        let leave = if self.below(4) == 0 { "\nbreak" } else { "" };
        format!("for {name} in {}; do {body}{leave}\ndone", words.join(" "))
    }

    pub(super) fn case(&mut self) -> String {
        let subject = self.word();
        let arms = [
            self.pick(&["a*", "x1|bc", "'*'", "?", "[0-9]*", "\"\""]),
            self.pick(&["*b*", "-*", "left", "m/?"]),
        ];
        let bodies = [self.call(), self.statement(), self.call()];
        let end = self.pick(&[";;", ";;", ";&", ";;&"]);
        format!(
            "case {subject} in {}) {}\n{end} ({}) {}\n;; *) {}\n;; esac",
            arms[0], bodies[0], arms[1], bodies[1], bodies[2]
        )
    }

    pub(super) fn condition(&mut self) -> String {
        let test = format!("[ {} = {} ]", self.double(), self.double());
        let test = if self.below(2) == 0 { test } else { format!("[[ {} == a* ]]", self.double()) };
        // What is set in one branch only may be unset later; the reader says so, bash has one of the two.
        let (then, otherwise) = (self.call(), self.assignment());
        format!("if {test}; then {then}\nelse {otherwise}\n{}\nfi", self.call())
    }

    pub(super) fn function(&mut self) -> String {
        let name = format!("f{}", self.below(3));
        let outer = std::mem::replace(&mut self.positional, 1);
        // Its own name may not be in it: it would never end.
        let known = std::mem::take(&mut self.functions);
        let local = format!("local w={}", self.word());
        let body = format!("{local}\n{}\ntwo \"$w\" \"$1\" $#", self.statement());
        self.positional = outer;
        self.functions = known;
        if !self.functions.contains(&name) {
            self.functions.push(name.clone());
        }
        match self.below(3) {
            0 => format!("function {name} {{ {body}\n}}"),
            1 => format!("{name} () {{\n{body}\n}}"),
            _ => format!("{name}() ( {body}\n)"),
        }
    }

    pub(super) fn function_call(&mut self) -> String {
        if self.functions.is_empty() {
            return self.call();
        }
        let at = self.below(self.functions.len());
        let name = self.functions[at].clone();
        format!("{name} {} {}", self.word(), self.word())
    }

    pub(super) fn evaluation(&mut self) -> String {
        let code = self.call();
        match self.below(3) {
            0 => format!("eval {}", shell::quote(&code)),
            1 => format!("eval \"three {}\" b", self.parameter()),
            _ => format!("eval 'e={}' ; one \"$e\"", self.pick(WORDS)),
        }
    }

    pub(super) fn read(&mut self) -> String {
        let (first, second) = (self.new_text(), self.new_text());
        let input = self.double();
        match self.below(6) {
            0 => format!("read -r {first} {second} <<< {input}"),
            1 => format!("IFS=: read -r {first} {second} <<< a:b:c"),
            2 => format!("IFS=, read -ra {} <<< 'x,y z,,w'", self.new_list()),
            3 => format!("read -r {first} <<< {input}"),
            4 => format!("IFS= read -r {first} <<< {input}"),
            _ => format!("read {first} {second} <<< '  p q  r '"),
        }
    }

    pub(super) fn read_loop(&mut self) -> String {
        let name = self.new_text();
        let (first, second) = (self.word(), self.pick(WORDS));
        match self.below(3) {
            0 => format!("while read -r {name}; do one \"${name}\"\ndone <<< {}", self.double()),
            1 => {
                format!("printf '%s\\n' {first} {second} | while read -r {name}; do two \"${name}\" x\ndone")
            }
            _ => format!(
                "while IFS= read -r {name}; do three \"${name}\"\ndone < <(printf '%s\\n' 'a b' {second})"
            ),
        }
    }

    pub(super) fn pipeline(&mut self) -> String {
        let word = self.word();
        let filter = self.pick(&[
            "tr a-m n-z",
            "rev",
            "tr -d ab",
            "cut -c2-",
            "head -n1",
            "tail -n 1",
            "sort",
            "tac",
            "sed s/a/Z/g",
            "cat",
            "tr ' ' _",
            "cut -d- -f1",
            "tr a-z A-Z",
            "head -c 3",
            "sort -r",
            "sed 's/^/x/'",
            "tail -c 4",
            "sed -n 1p",
        ]);
        match self.below(4) {
            0 => format!("echo {word} | {filter} | xargs one"),
            1 => format!("x=$(printf '%s\\n' {word} b | {filter}); two \"$x\""),
            2 => format!("printf '%s\\n' {word} | {filter} | {{ read -r y; three \"$y\"; }}"),
            _ => format!("one $(echo {word} | {filter})"),
        }
    }

    pub(super) fn document(&mut self) -> String {
        self.documents += 1;
        let end = format!("END{}", self.documents);
        let line = format!(
            "{} {} text",
            self.parameter(),
            self.pick(&["'q'", "\"q\"", "\\$v", "$(echo s)", "$((1+2))", "~", "a\\\\b"])
        );
        match self.below(4) {
            0 => format!("x=$(cat <<{end}\n{line}\n{end}\n); one \"$x\""),
            1 => format!("x=$(cat <<'{end}'\n{line}\n{end}\n); one \"$x\""),
            2 => format!("while read -r x; do two \"$x\"; done <<{end}\n{line}\nsecond\n{end}"),
            _ => format!("three \"$(cat <<-{end}\n\t\t{line}\n\t{end}\n)\""),
        }
    }

    pub(super) fn declaration(&mut self) -> String {
        let value = self.word();
        let name = self.new_text();
        match self.below(6) {
            0 => format!("declare {name}={value}"),
            1 => format!("declare -u {name}; unset {name}; {name}=low"),
            2 => format!("unset {name}; {name}=again"),
            3 => format!("declare -n ref={name}; {name}={value}; one \"$ref\"; unset -n ref"),
            4 => format!("k={name}; {name}={value}; one \"${{!k}}\""),
            _ => "declare -A m=([p]=1 ['q r']='two words'); one \"${m[p]}\" \"${m[q r]}\"".into(),
        }
    }

    pub(super) fn shell(&mut self) -> String {
        let word = self.word();
        match self.below(4) {
            0 => format!("bash -c 'one \"$1\" $0' zero {word}"),
            1 => format!("P=k bash -c 'two \"$P\" \"$#\"' _ {word}"),
            2 => format!("bash <<< {}", shell::quote(&format!("three {}", self.pick(WORDS)))),
            _ => format!("echo 'one a' {} | bash", self.pick(WORDS)),
        }
    }

    pub(super) fn sourced(&mut self) -> String {
        let line = format!("two {}", self.pick(WORDS));
        match self.below(3) {
            0 => format!("echo {} > part.sh; . ./part.sh", shell::quote(&line)),
            1 => format!(
                "printf '%s\\n' {} 'three $1' > part.sh; bash part.sh {}",
                shell::quote(&line),
                self.word()
            ),
            _ => format!("source <(echo {})", shell::quote(&line)),
        }
    }

    pub(super) fn wrapped(&mut self) -> String {
        let word = self.word();
        match self.below(5) {
            0 => format!("env Q=1 one {word}"),
            1 => format!("command two {word}"),
            2 => format!("echo x y | xargs three {}", self.pick(WORDS)),
            3 => format!("printf '%s\\n' 'a b' c | xargs -I@ one @ {}", self.pick(WORDS)),
            _ => format!("two {word} &\nwait"),
        }
    }

    pub(super) fn arithmetic_statement(&mut self) -> String {
        let n = self.below(9);
        match self.below(4) {
            0 => format!("n={n}; ((n++)); one $n"),
            1 => format!("n={n}; one $((n * 2)) $n"),
            2 => format!("n={n}; let n+=2; two $n"),
            _ => format!("n={n}; one $((n > 3 ? 1 : 2))"),
        }
    }

    pub(super) fn chain(&mut self) -> String {
        let (first, second) = (self.call(), self.assignment());
        let operator = self.pick(&["&&", "||"]);
        let test = self.pick(&["true", "false", "[ a = b ]", "[ -n x ]", "! true", ":"]);
        match self.below(3) {
            0 => format!("{test} {operator} {second}\n{}", self.call()),
            1 => format!(
                "{test} {operator} {}",
                first.lines().next().unwrap_or_default().trim_end_matches('\\')
            ),
            _ => format!("one x {operator} {second}\n{}", self.call()),
        }
    }

    pub(super) fn separators(&mut self) -> String {
        let text = self.pick(&["a:b::c", "a,b", " x y ", ":a:", "p , q", "-"]);
        let ifs = self.pick(&[":", ",", " ", " ,", "", ":-"]);
        format!("s='{text}'; IFS='{ifs}'; one $s; two \"$s\" x; unset IFS")
    }

    pub(super) fn printf_into(&mut self) -> String {
        let format = self
            .pick(&["%s", "%s-%s", "[%5s]", "%-4s|", "%03d", "%b", "%.2s", "%x", "%%%s", "a%sb\\t", "%q"]);
        let (first, second) = (self.pick(&["12", "7", "0"]), self.pick(&["3", "44"]));
        let name = self.new_text();
        format!("printf -v {name} '{format}' {first} {second}; one \"${name}\"")
    }

    pub(super) fn mapped(&mut self) -> String {
        let name = self.new_list();
        match self.below(2) {
            0 => {
                format!("mapfile -t {name} < <(printf '%s\\n' {} 'd e')\none \"${{{name}[@]}}\"", self.word())
            }
            _ => format!("mapfile {name} <<< {}\none \"${{{name}[0]}}\"", self.double()),
        }
    }

    pub(super) fn arithmetic_loop(&mut self) -> String {
        format!("for ((i = 0; i < {}; i++)); do two \"$i\" {}\ndone", self.below(3) + 1, self.word())
    }
}

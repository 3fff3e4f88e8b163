use engines::*;
use std::path::Path;
fn tools(p: &Path) -> (Vec<Tool>, Option<Tool>) {
    let n = p.file_name().unwrap().to_str().unwrap();
    match p.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "sh" | "bash" => (vec![Tool::Shellcheck], Some(Tool::Shfmt)),
        "md" => (vec![Tool::Markdownlint], Some(Tool::Markdownlint)),
        "yaml" | "yml" => (vec![Tool::Yamllint], None),
        "toml" => (vec![Tool::Taplo], Some(Tool::Taplo)),
        "json" => (vec![Tool::Json], Some(Tool::Json)),
        "py" => (
            vec![Tool::Ruff, Tool::Bandit, Tool::FlakeAsync, Tool::FlakePydantic, Tool::Vulture],
            Some(Tool::Ruff),
        ),
        "ts" | "js" => (vec![Tool::Oxc], None),
        _ if n.contains("Dockerfile") => (vec![Tool::Hadolint], None),
        _ => (vec![], None),
    }
}
fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let fmt = args.iter().any(|a| a == "--format");
    let only: Option<String> = args.iter().find_map(|a| a.strip_prefix("--only=").map(str::to_owned));
    args.retain(|a| !a.starts_with("--"));
    let e = Engines::new(Place { project: Some(std::env::current_dir().unwrap()), ..Place::default() });
    for a in args {
        let p = std::fs::canonicalize(&a).unwrap();
        let t = std::fs::read_to_string(&p).unwrap();
        let (l, f) = tools(&p);
        let i = Input::new(&p, &t);
        if fmt {
            if let Some(f) = f {
                match e.format(f, &i, &[]) {
                    Ok(Some(s)) => print!("{s}"),
                    Ok(None) => print!("{t}"),
                    Err(x) => println!("TROUBLE {x}"),
                }
            }
            continue;
        }
        match e.lint(&l, &i) {
            Ok(ps) => {
                for p in ps {
                    if only.as_deref().is_none_or(|o| o == p.linter) {
                        println!("{a}\t{}\t{}\t{}\t{}\t{}", p.line, p.column, p.code, p.linter, p.message);
                    }
                }
            }
            Err(x) => println!("{a}\tTROUBLE\t{x}"),
        }
    }
}

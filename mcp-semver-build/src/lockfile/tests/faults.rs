use super::*;

/// The message for a file that is not sound, without the path in front.
fn complaint(text: &str) -> String {
    let message = parse(text).unwrap_err().to_string();
    message.strip_prefix("tool-versions.lock.yaml:").expect("the path comes first").to_owned()
}

const V2: &str = "mcp-contract-v2-sha256:\
                  9aaf5ff606591ef611788a262874bbe58aa57d39e751c10527aa894d984cb47e";

fn with_tool(lines: &str) -> String {
    format!("version: 1\ntools:\n  search:\n{lines}")
}

#[test]
fn unsound_files_say_what_and_where() {
    let good = lockfile([tool(search())]).to_yaml().unwrap();
    let digest_only = format!("    semver: 1.0.0\n    contract_digest: {V2}\n");
    let rows: &[(String, &str)] = &[
        (String::new(), " the file is empty"),
        ("\u{feff}\n  \n# nothing\n".into(), " the file is empty"),
        ("version: 1\ntools: {\0}".into(), "2: not a text file"),
        ("\u{7f}ELF\u{2}".into(), "1: "),
        (good.replace("tools:\n", "tools:\n<<<<<<< HEAD\n"), "6: merge conflict markers at line 6"),
        (format!("{good}=======\n"), "17: merge conflict markers at line 17"),
        (format!("{good}>>>>>>> theirs\n"), "17: merge conflict markers at line 17"),
        (good.replace("generated_for", "version"), "2: the key `version` appears twice"),
        (format!("{good}tools: {{}}\n"), "17: the key `tools` appears twice"),
        (
            with_tool(&format!("{digest_only}    semver: 1.0.0\n")),
            "6: the key `semver` appears twice",
        ),
        (with_tool(&format!("{digest_only}  search: {{}}\n")), "6: the key `search` appears twice"),
        (
            good.replace(
                "            type: string",
                "            type: string\n            type: string",
            ),
            "16: the key `type` appears twice",
        ),
        (good.replace("version: 1\n", "version: 2\n"), "1: lockfile format version 2 is not known"),
        (
            good.replace("version: 1\n", "version: '1'\n"),
            "1: `version` must be the number 1, found a string",
        ),
        (good.replace("version: 1\n", ""), "1: `version` is missing"),
        ("version: 1\n".into(), "1: `tools` is missing"),
        ("version: 1\ntools:\n".into(), "2: a mapping is expected"),
        ("version: 1\ntools: []\n".into(), "2: "),
        ("- version: 1\n".into(), "1: "),
        ("lockfile".into(), "1: "),
        ("version: 1\ntools:\n  search:\n".into(), "3: "),
        ("version: 1\ntools:\n  '': {semver: 1.0.0}\n".into(), "3: a tool's name is empty"),
        (with_tool("    semver: 1.0.0\n"), "3: tool `search`: `contract_digest` is missing"),
        (
            with_tool(&format!("    contract_digest: {V2}\n")),
            "3: tool `search`: `semver` is missing",
        ),
        (
            with_tool(&digest_only.replace("1.0.0", "1.0")),
            "4: tool `search`: `semver` must be text",
        ),
        (
            with_tool(&digest_only.replace("1.0.0", "v1.0.0")),
            "4: tool `search`: `semver` is not a semantic version: `v1.0.0`",
        ),
        (
            with_tool(&digest_only.replace("v2-", "v3-")),
            "5: tool `search`: `contract_digest`: unknown digest scheme `mcp-contract-v3-sha256`",
        ),
        (
            with_tool(&digest_only.replace("47e", "")),
            "5: tool `search`: `contract_digest`: a digest is",
        ),
        (
            with_tool(&format!("{digest_only}    contract: {{name: other}}\n")),
            "6: tool `search`: the contract is named `other`",
        ),
        (
            with_tool(&format!("{digest_only}    contract: {{title: other}}\n")),
            "6: tool `search`: `contract`: a tool needs a `name`",
        ),
        (
            with_tool(&format!("{digest_only}    contract: text\n")),
            "6: tool `search`: `contract`: a tool must be a JSON object",
        ),
        (
            with_tool(&format!("{digest_only}    contract: {{name: search}}\n")),
            "5: tool `search`: the contract does not match its `contract_digest`",
        ),
        (good.replace("public", "private"), "8: tool `search`: the contract does not match"),
        (good.replace("1.4.0", "1.4"), "3: `version` is not a semantic version"),
        (good.replace("3.11.0", "three"), "4: `rmcp` is not a semantic version"),
        (
            good.replace("{name: my-server, version: \"1.4.0\"}", "my-server"),
            "3: `package` must be a mapping",
        ),
        (format!("{good}---\n{good}"), "18: more than one YAML document"),
        (format!("{good}x: !custom 1\n"), "17: "),
        (format!("{good}x: .nan\n"), "17: "),
        (format!("{good}x: *nowhere\n"), "17: "),
        (format!("{good}x: {}", "[".repeat(100_000)), "17: "),
        (format!("{good}x: {}", "{a: ".repeat(100_000)), "17: "),
        (
            format!(
                "{good}x:\n{}",
                (1..2000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>()
            ),
            "1",
        ),
        (format!("{good}x:\n  {}a", "- ".repeat(100_000)), "18: "),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .map(|(text, expected)| (complaint(text), expected))
        .filter(|(found, expected)| {
            !found.starts_with(**expected) || found.len() > 600 || found.contains('\n')
        })
        .map(|(found, expected)| format!("{expected:?} expected, found {found:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn keys_that_read_alike_are_the_same_key() {
    let tool = format!("{{semver: 1.0.0, contract_digest: \"{V2}\"}}");
    for (one, other) in [
        ("1", "'1'"),
        ("true", "\"true\""),
        ("~", "'~'"),
        ("1", "1"),
        ("a", "'a'"),
        ("a", "!!str a"),
    ] {
        let text = format!("version: 1\ntools:\n  {one}: {tool}\n  {other}: {tool}\n");
        let found = complaint(&text);
        assert!(found.contains("appears twice"), "{one} {other} {found}");
        let text = with_tool(&format!(
            "    semver: 1.0.0\n    contract_digest: {V2}\n    x:\n      {one}: 1\n      {other}: 2\n"
        ));
        let found = complaint(&text);
        assert!(found.contains("appears twice"), "{one} {other} {found}");
    }
}

#[test]
fn an_alias_bomb_is_refused_soon() {
    let mut bomb = "version: 1\ntools: {}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let line = vec![format!("*a{}", n - 1); 10].join(", ");
        bomb.push_str(&format!("a{n}: &a{n} [{line}]\n"));
    }
    let started = std::time::Instant::now();
    parse(&bomb).unwrap_err();
    assert!(started.elapsed().as_secs() < 120, "{:?}", started.elapsed());
}

#[test]
fn reads_what_others_write() {
    let sbproxy = format!(
        "# A comment\nversion: 1\ngenerated_for: mcp.example.com\ntools:\n  search:\n    semver: \
         \"1.0.0\"\n    contract_digest: \"{V2}\"\n    contract:\n      name: search\n      \
         description: search public repositories\n      inputSchema:\n        type: object\n        \
         properties:\n          q:\n            type: string\n"
    );
    let read = parse(&sbproxy).unwrap();
    assert_eq!(read.generated_for, "mcp.example.com");
    let contract = Contract::from_wire(search()).unwrap();
    assert_eq!(read.tools["search"].contract.as_deref(), Some(&contract));

    let digest_only = format!("    semver: 1.0.0\n    contract_digest: {V2}\n    contract: ~\n");
    let read = parse(&with_tool(&digest_only)).unwrap();
    assert_eq!((read.generated_for.as_str(), read.package), (UNSPECIFIED, None));
    assert_eq!(read.tools["search"].contract, None);

    let written =
        lockfile([tool(search()), tool(json!({"name": "ü\"\\ \n😀/", "title": "\u{1}"}))]);
    let json: Value = serde_saphyr::from_str(&written.to_yaml().unwrap()).unwrap();
    for text in [json.to_string(), serde_json::to_string_pretty(&json).unwrap().replace("  ", "\t")]
    {
        assert_eq!(parse(&text).unwrap(), written, "{text}");
    }
    let surrogates =
        r#"{"version":1,"tools":{"\ud83d\ude00\/":{"semver":"1.0.0","contract_digest":"V2"}}}"#;
    assert!(parse(&surrogates.replace("V2", V2)).unwrap().tools.contains_key("😀/"));
}

#[test]
fn a_digest_over_null_fields_is_recognised() {
    let mut wire = search();
    wire["title"] = Value::Null;
    wire["outputSchema"] = Value::Null;
    for scheme in [Scheme::Sha256, Scheme::ContractV2] {
        let digest = Digest::of_wire(scheme, &wire);
        let contract = Contract::from_wire(wire.clone()).unwrap();
        assert!(!digest.matches(&contract));
        let text = with_tool(&format!(
            "    semver: 1.0.0\n    contract_digest: {digest}\n    contract: {wire}\n"
        ));
        assert!(parse(&text).unwrap().tools["search"].digest.matches(&contract));
    }
}

#[test]
fn files_that_cannot_be_read_are_not_missing() {
    let dir = tempfile::tempdir().unwrap();
    let missing = Lockfile::read(&dir.path().join("none")).unwrap_err();
    assert!(matches!(missing, LockfileError::Missing { .. }), "{missing}");
    let directory = Lockfile::read(dir.path()).unwrap_err();
    assert!(matches!(directory, LockfileError::Read { .. }), "{directory}");
    assert!(directory.to_string().contains("directory"), "{directory}");
    let file = dir.path().join("file");
    std::fs::write(&file, b"version: 1\n\xff\xfe").unwrap();
    let latin = Lockfile::read(&file).unwrap_err().to_string();
    assert!(latin.contains("file:2: not a text file in UTF-8"), "{latin}");
    let below = Lockfile::read(&file.join("lock")).unwrap_err();
    assert!(!matches!(below, LockfileError::Missing { .. }), "{below}");
    std::fs::File::create(&file).unwrap().set_len(SIZE_LIMIT + 1).unwrap();
    let large = Lockfile::read(&file).unwrap_err().to_string();
    assert!(large.contains("larger than 64 MiB"), "{large}");
}

#[test]
fn numbers_that_would_be_read_as_others_are_named() {
    let with = |number: &str| {
        let wire = json!({"name": "n", "description": "1e400 and 18446744073709551617",
                          "inputSchema": {"maximum": 7.5}});
        let written = lockfile([tool(search()), tool(wire)]).to_yaml().unwrap();
        assert!(written.contains("maximum: 7.5"));
        written.replace("maximum: 7.5", &format!("maximum: {number}"))
    };
    for number in [
        "18446744073709551617",
        "-9223372036854775809",
        "1e400",
        "-1e400",
        "1e-400",
        "0.1000000000000000055511151231257827",
        "!!float 0.1000000000000000055511151231257827",
        "[{x: 18446744073709551617.5}]",
    ] {
        let found = complaint(&with(number));
        let shown = number.trim_matches(|char: char| !char.is_ascii_digit() && char != '-');
        let expected = format!("13: tool `n`: the number {shown} is neither");
        assert!(found.starts_with(&expected), "{number}: {found}");
    }
    // An edit all the same, of a number that is read as it stands.
    for number in ["18446744073709551616", "7.50001", "'18446744073709551617'", "\"1e400\""] {
        let found = complaint(&with(number));
        assert!(found.contains("tool `n`: the contract does not match"), "{number}: {found}");
    }
    for number in ["7.50", "75e-1", "7.50000000000000000000000"] {
        parse(&with(number)).unwrap();
    }
    let outside = complaint(&format!("{}x: [&a 1e400, *a]\n", with("7.5")));
    assert!(outside.contains(": the number 1e400 is neither"), "{outside}");
    for number in [json!(18_446_744_073_709_551_616_f64), json!(1e300), json!(0.1), json!(5e-324)] {
        survives(&number);
    }
}

//! The probe's catalogue is, field by field, what the server serves.

mod support;

use support::{Copy, Said, served};

fn list(fixture: &str) -> Said {
    let copy = Copy::new(&format!("list-{fixture}"), &[fixture]);
    copy.run(&["list", "-p", fixture, "--message-format", "json"])
}

macro_rules! same_as_served {
    ($($test:ident = $fixture:literal),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                assert_eq!(list($fixture).expect(0).json(), served($fixture));
            }
        )*
    };
}

same_as_served! {
    article = "article",
    attributes_of_every_derive = "derives",
    attributes_of_every_derive_of_schemars_0_8 = "derives-0-8",
    file_of_the_build_script = "generated",
    generic_server = "generic",
    binary_named_as_the_library = "library-and-binary",
    macro_that_emits_a_server = "macro-made",
    macro_inside_a_router = "macro-inside",
    credentials_at_start = "needs-credentials",
    private_modules = "private-modules",
    modules_declared_twice = "redeclared",
    rmcp_0_1 = "rmcp-0-1",
    rmcp_0_3 = "rmcp-0-3",
    rmcp_0_8 = "rmcp-0-8",
    rmcp_1 = "rmcp-1",
    rmcp_2 = "rmcp-2",
    router_edited_by_a_function = "router-edited",
    forbidden_unsafe_code_and_denied_warnings = "strict-lints",
    schemas_of_every_shape = "schemas",
    texts_from_everywhere = "texts",
    versions_in_meta = "versioned",
    member_library_with_a_feature_of_the_binary = "workspace-member-library",
}

#[test]
fn declared_but_not_served() {
    let said = list("unserved").expect(0);
    assert_eq!(said.json(), served("unserved"));
    assert!(said.stderr.contains("cheat"), "{}", said.stderr);
}

#[test]
fn features_decide() {
    let copy = Copy::new("features", &["private-modules"]);
    let list = |arguments: &[&str]| {
        let fixed = ["list", "--manifest-path", "private-modules/Cargo.toml"];
        let said = copy.run(&[&fixed, arguments, &["--message-format=json"]].concat()).expect(0);
        let tools = said.json()["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let plain = ["order", "price_list", "stock"];
    let with_refunds = ["order", "price_list", "refund", "stock"];
    assert_eq!(list(&[]), plain);
    assert_eq!(list(&["--features", "refunds"]), with_refunds);
    assert_eq!(list(&["--no-default-features"]), plain);
    assert_eq!(list(&["--all-features"]), with_refunds);
}

#[test]
fn one_of_two_binaries() {
    let copy = Copy::new("two-binaries", &["two-binaries"]);
    let said = copy.run(&["list", "--bin", "writer", "--message-format=json"]).expect(0);
    assert_eq!(said.json()["tools"][0]["name"], "write");
    // Which of the two is the server's contract is not for the command to guess.
    let said = copy.run(&["list"]).expect(101);
    assert!(said.stderr.contains("--bin"), "{}", said.stderr);
}

#[test]
fn a_library_alone() {
    let copy = Copy::new("library-alone", &["library-and-binary"]);
    // Its binary makes the router, so what is served is not known: a person sees what is declared,
    // and there is no dump that would be taken for the whole.
    let said = copy.run(&["list", "--lib"]).expect(101);
    assert!(said.stdout.contains("\ncheckout ") && said.stdout.contains("\nstatus "), "{said:?}");
    assert_eq!(copy.run(&["list", "--lib", "--message-format=json"]).expect(101).stdout, "");
}

#[test]
fn a_listing_is_a_dump_that_every_command_accepts() {
    let copy = Copy::new("listing", &["article"]);
    let listing = copy.run(&["list", "--message-format=json"]).expect(0).stdout;
    copy.write("listing.json", &listing);
    copy.run(&["diff", "listing.json", "article/served.json"]).expect(0);
}

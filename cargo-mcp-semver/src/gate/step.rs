//! What the step from one version to another is worth, by Cargo's rules.
//!
//! | from | major | minor | patch |
//! |---|---|---|---|
//! | 1.2.3 | 2.0.0 | 1.3.0 | 1.2.4 |
//! | 0.2.3 | 0.3.0 | 0.2.4 | 0.2.4 |
//! | 0.0.3 | 0.0.4 | 0.0.4 | 0.0.4 |
//!
//! A pre-release of a version is worth what the version is. From a pre-release, the way to its own
//! final version or to a later pre-release of it is worth what that version was as a step:
//! 2.0.0-rc.1 to 2.0.0-rc.2 may break, 1.2.4-rc.1 to 1.2.4 may not. Build metadata is no step.

use std::cmp::Ordering;

use semver::{BuildMetadata, Prerelease, Version};

use crate::grade::Grade;

/// The highest grade that going from one version to the other covers; `None` for a downgrade.
pub fn covered(from: &Version, to: &Version) -> Option<Grade> {
    match to.cmp_precedence(from) {
        Ordering::Less => None,
        Ordering::Equal => Some(Grade::None),
        // A pre-release promised nothing yet beyond its own step, so going further than its final
        // version is worth that step too.
        Ordering::Greater if from.pre.is_empty() => Some(between(from, to)),
        Ordering::Greater => Some(between(from, to).max(own_step(from))),
    }
}

/// The smallest version that covers `grade` from `from`: a final one, or the next pre-release
/// where `from` is one and that is enough. `from` itself for [`Grade::None`].
pub fn smallest_covering(from: &Version, grade: Grade) -> Version {
    let &Version { major, minor, patch, .. } = from;
    let next_major = Version::new(major.saturating_add(1), 0, 0);
    if grade == Grade::None {
        return from.clone();
    }
    next_prerelease(from)
        .into_iter()
        .chain([
            Version::new(major, minor, patch),
            Version::new(major, minor, patch.saturating_add(1)),
            Version::new(major, minor.saturating_add(1), 0),
        ])
        .find(|version| covered(from, version) >= Some(grade))
        .unwrap_or(next_major)
}

/// The grade of the leftmost number that differs; pre-release tags aside.
fn between(from: &Version, to: &Version) -> Grade {
    if to.major != from.major {
        Grade::Major
    } else if to.minor != from.minor {
        if from.major == 0 { Grade::Major } else { Grade::Minor }
    } else if to.patch != from.patch {
        patch_step(from)
    } else {
        Grade::None
    }
}

/// What the version itself was as a step from the one before it.
fn own_step(version: &Version) -> Grade {
    match (version.major, version.minor, version.patch) {
        (_, 0, 0) => Grade::Major,
        (0, _, 0) => Grade::Major,
        (_, _, 0) => Grade::Minor,
        _ => patch_step(version),
    }
}

/// What a step of the last number is worth.
fn patch_step(version: &Version) -> Grade {
    match (version.major, version.minor) {
        (0, 0) => Grade::Major,
        (0, _) => Grade::Minor,
        _ => Grade::Patch,
    }
}

/// `rc.1` becomes `rc.2`, `alpha` becomes `alpha.1`; `None` for a final version.
fn next_prerelease(version: &Version) -> Option<Version> {
    if version.pre.is_empty() {
        return None;
    }
    let pre = version.pre.as_str();
    let next = pre.rsplit_once('.').map_or((None, pre), |(rest, last)| (Some(rest), last));
    let next = match (next.0, next.1.parse::<u64>().ok().and_then(|last| last.checked_add(1))) {
        (Some(rest), Some(last)) => format!("{rest}.{last}"),
        (None, Some(last)) => last.to_string(),
        (_, None) => format!("{pre}.1"),
    };
    let pre = Prerelease::new(&next).ok()?;
    Some(Version { pre, build: BuildMetadata::EMPTY, ..version.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn steps_are_worth_what_cargo_says() {
        for (from, to, expected) in [
            ("1.2.3", "1.2.3", Some(Grade::None)),
            ("1.2.3", "1.2.4", Some(Grade::Patch)),
            ("1.2.3", "1.2.9", Some(Grade::Patch)),
            ("1.2.3", "1.3.0", Some(Grade::Minor)),
            ("1.2.3", "1.4.7", Some(Grade::Minor)),
            ("1.2.3", "2.0.0", Some(Grade::Major)),
            ("1.2.3", "3.1.1", Some(Grade::Major)),
            ("1.2.3", "1.2.2", None),
            ("1.2.3", "1.1.9", None),
            ("1.2.3", "0.9.9", None),
            ("1.2.3", "1.2.3-rc.1", None),
            ("0.2.3", "0.2.3", Some(Grade::None)),
            ("0.2.3", "0.2.4", Some(Grade::Minor)),
            ("0.2.3", "0.3.0", Some(Grade::Major)),
            ("0.2.3", "0.4.1", Some(Grade::Major)),
            ("0.2.3", "1.0.0", Some(Grade::Major)),
            ("0.2.3", "0.2.2", None),
            ("0.2.3", "0.1.0", None),
            ("0.0.3", "0.0.3", Some(Grade::None)),
            ("0.0.3", "0.0.4", Some(Grade::Major)),
            ("0.0.3", "0.1.0", Some(Grade::Major)),
            ("0.0.3", "1.0.0", Some(Grade::Major)),
            ("0.0.3", "0.0.2", None),
            ("1.2.3", "1.2.3+build", Some(Grade::None)),
            ("1.2.3+a", "1.2.3", Some(Grade::None)),
            ("1.2.3", "1.2.4+build", Some(Grade::Patch)),
            ("1.2.3", "1.2.4-alpha", Some(Grade::Patch)),
            ("1.2.3", "1.3.0-alpha.1", Some(Grade::Minor)),
            ("1.2.3", "2.0.0-rc.1", Some(Grade::Major)),
            ("0.2.3", "0.3.0-rc.1", Some(Grade::Major)),
            ("0.0.3", "0.0.4-rc.1", Some(Grade::Major)),
            ("2.0.0-rc.1", "2.0.0-rc.1", Some(Grade::None)),
            ("2.0.0-rc.1", "2.0.0-rc.2", Some(Grade::Major)),
            ("2.0.0-rc.1", "2.0.0", Some(Grade::Major)),
            ("2.0.0-rc.2", "2.0.0-rc.1", None),
            ("2.0.0-rc.1", "1.9.9", None),
            ("2.0.0-rc.1", "2.0.1", Some(Grade::Major)),
            ("1.3.0-rc.1", "1.3.0", Some(Grade::Minor)),
            ("1.3.0-rc.1", "1.3.1", Some(Grade::Minor)),
            ("1.3.0-rc.1", "2.0.0-rc.1", Some(Grade::Major)),
            ("1.2.4-rc.1", "1.2.4", Some(Grade::Patch)),
            ("1.2.4-rc.1", "1.2.5", Some(Grade::Patch)),
            ("1.2.4-rc.1", "1.3.0", Some(Grade::Minor)),
            ("0.3.0-rc.1", "0.3.0", Some(Grade::Major)),
            ("0.2.4-rc.1", "0.2.4", Some(Grade::Minor)),
            ("0.0.4-rc.1", "0.0.4", Some(Grade::Major)),
            ("0.0.0-a", "0.0.0", Some(Grade::Major)),
        ] {
            assert_eq!(covered(&version(from), &version(to)), expected, "{from} to {to}");
        }
    }

    #[test]
    fn the_smallest_version_that_covers() {
        for (from, patch, minor, major) in [
            ("1.2.3", "1.2.4", "1.3.0", "2.0.0"),
            ("1.2.3+b", "1.2.4", "1.3.0", "2.0.0"),
            ("0.2.3", "0.2.4", "0.2.4", "0.3.0"),
            ("0.0.3", "0.0.4", "0.0.4", "0.0.4"),
            ("0.0.0", "0.0.1", "0.0.1", "0.0.1"),
            ("2.0.0-rc.1", "2.0.0-rc.2", "2.0.0-rc.2", "2.0.0-rc.2"),
            ("1.3.0-alpha", "1.3.0-alpha.1", "1.3.0-alpha.1", "2.0.0"),
            ("1.2.4-7", "1.2.4-8", "1.3.0", "2.0.0"),
            ("0.2.4-rc.9", "0.2.4-rc.10", "0.2.4-rc.10", "0.3.0"),
            (
                "1.0.0-rc.18446744073709551615",
                "1.0.0-rc.18446744073709551615.1",
                "1.0.0-rc.18446744073709551615.1",
                "1.0.0-rc.18446744073709551615.1",
            ),
        ] {
            let from = version(from);
            assert_eq!(smallest_covering(&from, Grade::None), from);
            for (grade, expected) in
                [(Grade::Patch, patch), (Grade::Minor, minor), (Grade::Major, major)]
            {
                assert_eq!(smallest_covering(&from, grade), version(expected), "{from} {grade}");
            }
        }
    }

    fn any_version() -> impl Strategy<Value = Version> {
        let pre =
            prop::sample::select(&["", "", "", "alpha", "alpha.1", "beta.2", "0", "rc.10"][..]);
        (0..4_u64, 0..4_u64, 0..4_u64, pre).prop_map(|(major, minor, patch, pre)| Version {
            pre: Prerelease::new(pre).unwrap(),
            ..Version::new(major, minor, patch)
        })
    }

    fn any_grade() -> impl Strategy<Value = Grade> {
        prop::sample::select(&[Grade::None, Grade::Patch, Grade::Minor, Grade::Major][..])
    }

    proptest! {
        #[test]
        fn going_further_never_covers_less(from in any_version(), a in any_version(), b in any_version()) {
            let (near, far) = if a < b { (a, b) } else { (b, a) };
            prop_assert!(covered(&from, &near) <= covered(&from, &far), "{from} {near} {far}");
        }

        #[test]
        fn the_smallest_version_covers_and_none_below_it_does(from in any_version(), grade in any_grade()) {
            let smallest = smallest_covering(&from, grade);
            prop_assert!(covered(&from, &smallest) >= Some(grade));
            let &Version { major, minor, patch, .. } = &from;
            for below in [
                Version::new(major, minor, patch),
                Version::new(major, minor, patch + 1),
                Version::new(major, minor + 1, 0),
                Version::new(major + 1, 0, 0),
            ] {
                prop_assert!(below >= smallest || covered(&from, &below) < Some(grade), "{below}");
            }
        }

        #[test]
        fn only_a_lower_version_is_a_downgrade(from in any_version(), to in any_version()) {
            prop_assert_eq!(covered(&from, &to).is_none(), to < from);
            prop_assert_eq!(covered(&from, &to) == Some(Grade::None), to == from);
        }
    }
}

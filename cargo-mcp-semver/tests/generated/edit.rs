//! What a release does to the types of a server.

use super::model::{Enum, FORMATS, Field, Int, Model, PATTERNS, Payload, Presence, Spelling};
use super::model::{Struct, Tagging, Text, Type};
use super::sample::Dice;

/// One edit; where is left to the dice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    RenameField,
    RemoveField,
    AddRequired,
    AddOptional,
    Require,
    Release,
    ChangeDefault,
    Retype,
    Nullable,
    NotNullable,
    RenameVariant,
    DropVariant,
    AddVariant,
    Retag,
    Tighten,
    Loosen,
    OtherInteger,
    OtherPattern,
    Deny,
    Allow,
    /// From here on the same values are accepted.
    Reorder,
    Inline,
    RenameTypes,
    Respell,
}

impl Edit {
    pub const ALL: [Self; 24] = [
        Self::RenameField,
        Self::RemoveField,
        Self::AddRequired,
        Self::AddOptional,
        Self::Require,
        Self::Release,
        Self::ChangeDefault,
        Self::Retype,
        Self::Nullable,
        Self::NotNullable,
        Self::RenameVariant,
        Self::DropVariant,
        Self::AddVariant,
        Self::Retag,
        Self::Tighten,
        Self::Loosen,
        Self::OtherInteger,
        Self::OtherPattern,
        Self::Deny,
        Self::Allow,
        Self::Reorder,
        Self::Inline,
        Self::RenameTypes,
        Self::Respell,
    ];

    /// Whether the same calls are accepted after it, and mean the same.
    pub fn is_harmless(self) -> bool {
        matches!(self, Self::Reorder | Self::Inline | Self::RenameTypes | Self::Respell)
    }

    /// Makes the edit at one of the places where it can be made; the model stays as it is where
    /// there is none.
    pub fn apply(self, model: &mut Model, dice: &mut Dice) {
        match self {
            Self::RenameTypes => {
                for (name, _) in &mut model.named {
                    name.push_str("Args");
                }
            }
            // Only forwards: backwards the dialect is an older one.
            Self::Respell => model.spelling = Spelling::New,
            Self::Inline => {
                let targets = model.named.clone();
                self.somewhere(model, dice, |of, _| match of {
                    Type::Named(number) if !targets.is_empty() => {
                        *of = targets[*number % targets.len()].1.clone();
                        true
                    }
                    _ => false,
                });
            }
            _ => self.somewhere(model, dice, |of, dice| self.change(of, dice)),
        }
    }

    fn somewhere(
        self,
        model: &mut Model,
        dice: &mut Dice,
        change: impl Fn(&mut Type, &mut Dice) -> bool,
    ) {
        let mut root = Type::Struct(model.root.clone());
        let count = {
            let mut count = 0;
            visit(&mut root, &mut |_| count += 1);
            model.named.iter_mut().for_each(|(_, of)| visit(of, &mut |_| count += 1));
            count
        };
        let seed = dice.number();
        let first = dice.below(count);
        // From a place by chance on, and from the start again, until one can be changed.
        for from in [first, 0] {
            let (mut at, mut done) = (0, false);
            let mut try_here = |of: &mut Type| {
                if at >= from && !done && (from == first || at < first) {
                    done = change(of, &mut Dice::new(seed));
                }
                at += 1;
            };
            visit(&mut root, &mut try_here);
            model.named.iter_mut().for_each(|(_, of)| visit(of, &mut try_here));
            if done {
                break;
            }
        }
        if let Type::Struct(root) = root {
            model.root = root;
        }
    }

    /// Changes one type; false where the edit does not apply to it.
    fn change(self, of: &mut Type, dice: &mut Dice) -> bool {
        match (self, of) {
            (Self::Tighten, Type::Int(int)) => {
                let (low, high) = int.range();
                let tighter = low.checked_add(1).filter(|low| *low <= high);
                int.low = tighter;
                tighter.is_some()
            }
            (Self::Loosen, Type::Int(int)) => {
                let bound = if dice.below(2) == 0 { &mut int.low } else { &mut int.high };
                bound.take().is_some()
            }
            (Self::OtherInteger, Type::Int(int)) => {
                *int = Int { format: dice.below(FORMATS.len()), low: None, high: None };
                true
            }
            (Self::Tighten, Type::Text(Text { longest, pattern: None, format: None, .. })) => {
                *longest = Some(longest.map_or(9, |longest| longest.saturating_sub(1)));
                true
            }
            (Self::Loosen, Type::Text(text)) => {
                let loose = Text::default();
                text.pattern.take().is_some()
                    || text.format.take().is_some()
                    || std::mem::replace(text, loose.clone()) != loose
            }
            (Self::OtherPattern, Type::Text(text)) => {
                *text = Text { pattern: Some(dice.below(PATTERNS.len())), ..Text::default() };
                true
            }
            (Self::Tighten, Type::Vec(list)) => {
                list.fewest = Some(list.fewest.unwrap_or(0) + 1);
                list.most = list.most.map(|most| most.max(list.fewest.unwrap_or(0)));
                true
            }
            (Self::Loosen, Type::Vec(list)) => {
                list.most.take().is_some() || std::mem::take(&mut list.unique)
            }
            (Self::Reorder, Type::Struct(it)) => {
                it.fields.reverse();
                it.fields.len() > 1
            }
            (Self::Reorder, Type::Enum(it)) => {
                it.variants.reverse();
                it.variants.len() > 1
            }
            (Self::Deny, Type::Struct(it)) if it.flattened.is_none() => {
                !std::mem::replace(&mut it.closed, true)
            }
            (Self::Allow, Type::Struct(it)) => std::mem::replace(&mut it.closed, false),
            (_, Type::Struct(it)) => self.fields(it, dice),
            (_, Type::Enum(it)) => self.variants(it, dice),
            _ => false,
        }
    }

    fn fields(self, of: &mut Struct, dice: &mut Dice) -> bool {
        let presence = match self {
            Self::AddRequired => Some(Presence::Required),
            Self::AddOptional => Some(Presence::Optional),
            _ => None,
        };
        if let Some(presence) = presence {
            let text = Type::Text(Text::default());
            let name = format!("added_{}", of.fields.len());
            of.fields.push(Field { name, of: text, presence });
            return true;
        }
        if of.fields.is_empty() {
            return false;
        }
        let at = dice.below(of.fields.len());
        let field = &mut of.fields[at];
        match (self, &field.presence) {
            (Self::RenameField, _) => field.name.push_str("_new"),
            (Self::RemoveField, _) => drop(of.fields.remove(at)),
            (Self::Require, Presence::Optional | Presence::Default(_)) => {
                field.presence = Presence::Required;
            }
            (Self::Release, Presence::Required) => field.presence = Presence::Optional,
            (Self::ChangeDefault, _) => field.presence = Presence::Default(dice.number()),
            (Self::Retype, _) => {
                let others = [Type::Bool, Type::Float, Type::Text(Text::default())];
                let other = dice.pick(&others).clone();
                if std::mem::replace(&mut field.of, other.clone()) == other {
                    return false;
                }
            }
            (Self::Nullable, _) if !matches!(field.of, Type::Option(_) | Type::Any) => {
                field.of = Type::Option(Box::new(field.of.clone()));
            }
            (Self::NotNullable, _) => match &field.of {
                Type::Option(inner) => field.of = (**inner).clone(),
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    fn variants(self, of: &mut Enum, dice: &mut Dice) -> bool {
        let at = dice.below(of.variants.len());
        match self {
            Self::RenameVariant => of.variants[at].0.push_str("_new"),
            Self::DropVariant if of.variants.len() > 1 => drop(of.variants.remove(at)),
            Self::AddVariant => {
                of.variants.push((format!("added_{}", of.variants.len()), Payload::Unit));
            }
            Self::Retag => {
                of.tagging = match of.tagging {
                    Tagging::External => Tagging::Adjacent,
                    Tagging::Adjacent => Tagging::Internal,
                    Tagging::Internal => Tagging::Untagged,
                    Tagging::Untagged => Tagging::External,
                };
                let internal = of.tagging == Tagging::Internal;
                for (_, payload) in of.variants.iter_mut().filter(|_| internal) {
                    if matches!(payload, Payload::One(_)) {
                        *payload = Payload::Unit;
                    }
                }
            }
            _ => return false,
        }
        true
    }
}

/// Every type inside a type, itself included.
fn visit(of: &mut Type, each: &mut impl FnMut(&mut Type)) {
    each(of);
    let all = |fields: &mut Vec<Field>, each: &mut _| {
        fields.iter_mut().for_each(|field| visit(&mut field.of, each));
    };
    match of {
        Type::Option(inner) | Type::Map(inner) => visit(inner, each),
        Type::Vec(list) => visit(&mut list.item, each),
        Type::Tuple(items) => items.iter_mut().for_each(|it| visit(it, each)),
        Type::Struct(it) => all(&mut it.fields, each),
        Type::Enum(it) => {
            for (_, payload) in &mut it.variants {
                match payload {
                    Payload::Unit => {}
                    Payload::One(inner) => visit(inner, each),
                    Payload::Fields(fields) => all(fields, each),
                }
            }
        }
        _ => {}
    }
}

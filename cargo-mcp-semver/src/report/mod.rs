//! Reports: one file a format. A report renders an outcome and decides nothing.

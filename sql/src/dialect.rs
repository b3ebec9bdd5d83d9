//! What sqlparser has to know of Hive and Impala SQL, as one dialect: where both read a text, they
//! read it alike.

use sqlparser::dialect::Dialect;

/// The SQL of Hive and of Impala.
#[derive(Debug, Default)]
pub(crate) struct HadoopDialect;

impl Dialect for HadoopDialect {
    fn is_delimited_identifier_start(&self, character: char) -> bool {
        character == '`'
    }

    fn identifier_quote_style(&self, _: &str) -> Option<char> {
        Some('`')
    }

    fn is_identifier_start(&self, character: char) -> bool {
        character.is_alphabetic() || character == '_' || character == '$'
    }

    fn is_identifier_part(&self, character: char) -> bool {
        character.is_alphanumeric() || character == '_' || character == '$'
    }

    /// `2024_q1` is a name.
    fn supports_numeric_prefix(&self) -> bool {
        true
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        true
    }

    fn supports_string_literal_column_alias(&self, explicit: bool) -> bool {
        explicit
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_bang_not_operator(&self) -> bool {
        true
    }

    /// `SELECT f(x) AS (a, b)`: table functions and scripts.
    fn supports_select_item_multi_column_alias(&self) -> bool {
        true
    }

    fn supports_values_as_table_factor(&self) -> bool {
        true
    }

    fn supports_boolean_literals(&self) -> bool {
        true
    }

    fn supports_window_function_null_treatment_arg(&self) -> bool {
        true
    }

    fn supports_left_associative_joins_without_parens(&self) -> bool {
        true
    }

    fn supports_aliased_function_args(&self) -> bool {
        true
    }

    fn supports_cross_join_constraint(&self) -> bool {
        true
    }

    fn supports_in_empty_list(&self) -> bool {
        true
    }

    fn supports_parens_around_table_factor(&self) -> bool {
        true
    }

    fn supports_comparison_in_between_low_bound(&self) -> bool {
        true
    }

    fn supports_subquery_as_function_arg(&self) -> bool {
        true
    }
}

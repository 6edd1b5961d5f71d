import type { ColumnType, Generated, RawBuilder } from "kysely";

/** What staff tells in the quick panel (`migrations/panels/0002-quick-panel`). */
export type QuickPanelTables = {
  quick_panel_entry: {
    id: Generated<number>;
    kind: "event" | "note";
    title: string;
    detail: string;
    added_by: string;
    added_at: ColumnType<Date, never, never>;
    removed_at: ColumnType<Date | null, never, RawBuilder<Date>>;
  };
};

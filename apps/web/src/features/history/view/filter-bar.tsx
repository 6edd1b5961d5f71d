import { Popover } from "@base-ui/react/popover";
import { Check, Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key, keyClass } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { SearchField } from "@longarm/ui/search-field.tsx";
import { pressed } from "@longarm/ui/time/painted.ts";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { ChosenColumns, Column } from "../columns.ts";
import { COLUMN_TEXTS, columnsInOrder } from "../columns.ts";
import type { Filters } from "../filters.ts";
import { PERIOD_TEXTS, PERIODS, SEARCH_MAX } from "../filters.ts";
import type { ListingKind } from "../row.ts";
import { ACTIONS } from "../row.ts";
import css from "./filter-bar.module.css";

export type OnFilters = (filters: Filters, how?: { readonly replace: boolean }) => void;
type FilterBarProps = {
  readonly kind: ListingKind;
  readonly filters: Filters;
  readonly columns: ChosenColumns;
  readonly onFilters: OnFilters;
  readonly isDownloading: boolean;
  readonly onDownload: () => void;
};

/** Search, type and period, the columns, and the file of all of it. */
export function FilterBar({ kind, filters, columns, onFilters, isDownloading, onDownload }: FilterBarProps) {
  const { t } = useText();
  // One step of the way back for a search, not one for every pause while it is typed.
  const onSearch = (search: string) => onFilters({ ...filters, search }, { replace: filters.search !== "" });
  const types = Object.entries(ACTIONS).map(([value, { text }]) => ({ value, label: t(text) }));
  return (
    <search className={css["bar"]} aria-label={t("history.filters")}>
      <Search
        value={filters.search}
        label={t(kind === "sessions" ? "history.searchMachine" : "history.search")}
        onSearch={onSearch}
      />
      {kind === "transactions" && (
        <ChipSelect
          label={t("history.type")}
          value={filters.type === undefined ? "" : String(filters.type)}
          isOn={filters.type !== undefined}
          options={[{ value: "", label: t("history.allTypes") }, ...types]}
          onChange={(type) => onFilters({ ...filters, type: type === "" ? undefined : Number(type) })}
        />
      )}
      <ChipSelect
        label={t("history.period")}
        value={filters.period}
        isOn={filters.period !== "all"}
        options={PERIODS.map((value) => ({ value, label: t(PERIOD_TEXTS[value]) }))}
        onChange={(period) => onFilters({ ...filters, period, firstDay: "", lastDay: "" })}
      />
      {filters.period === "custom" && <Days filters={filters} onFilters={onFilters} />}
      <div className={css["end"]}>
        <ColumnChooser columns={columns} all={columnsInOrder(kind)} />
        <Key
          icon="download"
          className={css["download"]}
          aria-label={t("history.download")}
          busy={isDownloading}
          onClick={onDownload}
        >
          <span>{t("history.download")}</span>
        </Key>
      </div>
    </search>
  );
}

/** First and last day of a period of the player's own. */
function Days({ filters, onFilters }: Pick<FilterBarProps, "filters" | "onFilters">) {
  const { t } = useText();
  const { firstDay, lastDay } = filters;
  const areCrossed = firstDay !== "" && lastDay !== "" && firstDay > lastDay;
  const change = (days: Partial<Filters>) => onFilters({ ...filters, ...days }, { replace: true });
  return (
    <div className={css["days"]}>
      <Field
        type="date"
        label={t("history.firstDay")}
        value={firstDay}
        max="9999-12-31"
        wellClass={css["well"] ?? ""}
        error={areCrossed ? t("history.daysCrossed") : undefined}
        onChange={({ target }) => change({ firstDay: target.value })}
      />
      <Field
        type="date"
        label={t("history.lastDay")}
        value={lastDay}
        max="9999-12-31"
        wellClass={css["well"] ?? ""}
        onChange={({ target }) => change({ lastDay: target.value })}
      />
    </div>
  );
}

/** Pause after the last letter before the search is sent, ms. */
const PAUSE_MS = 350;

/** The typed text, the value of the address when it was typed, and the search that was sent last. */
type Draft = { readonly text: string; readonly of: string; readonly sent: string };
type SearchProps = { readonly value: string; readonly label: string; readonly onSearch: (search: string) => void };

/** The typed text is sent after a pause, or at once with Enter. A change of the address wins over what was typed. */
function Search({ value, label, onSearch }: SearchProps) {
  const { t } = useText();
  const [draft, setDraft] = useState<Draft>({ text: value, of: value, sent: value });
  // Our own search has arrived in the address: from now on another value there is somebody else's.
  if (draft.sent === value && draft.of !== value) setDraft({ ...draft, of: value });
  const text = draft.of === value || draft.sent === value ? draft.text : value;

  function send(search: string): void {
    setDraft((now) => ({ ...now, sent: search }));
    onSearch(search);
  }
  const sendAfterPause = useEffectEvent(() => send(text.trim()));
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(sendAfterPause, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);

  function clear(): void {
    setDraft({ text: "", of: value, sent: "" });
    onSearch("");
  }
  return (
    <form
      className={css["search"]}
      onSubmit={(event) => {
        event.preventDefault();
        send(text.trim());
      }}
    >
      <SearchField
        label={label}
        clearLabel={t("history.clearSearch")}
        value={text}
        maxLength={SEARCH_MAX}
        onText={(typed) => setDraft({ text: typed, of: value, sent: draft.sent })}
        onClear={clear}
      />
    </form>
  );
}

type ColumnChooserProps = { readonly columns: ChosenColumns; readonly all: readonly Column[] };

/** Which of the ten columns are shown; the last one cannot be taken away. */
function ColumnChooser({ columns, all }: ColumnChooserProps) {
  const { t } = useText();
  const shown = useLive(columns.shown);
  const [open, setOpen] = useState(false);
  const wanted = useRef(false);
  /** The list is drawn and placed after the frame that shows its button as pressed. */
  async function change(next: boolean, { trigger }: Popover.Root.ChangeEventDetails): Promise<void> {
    // Pressed again before it is there: it is not wanted after all.
    wanted.current = next && !wanted.current;
    if (wanted.current) await pressed(trigger ?? null);
    setOpen(wanted.current);
  }
  return (
    <Popover.Root open={open} onOpenChange={change}>
      <Popover.Trigger className={keyClass({ kind: "line" }, css["opener"])} aria-label={t("history.columns")}>
        <Icon name="columns" />
        <span>{t("history.columns")}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={css["place"]} sideOffset={8} collisionPadding={8} align="end">
          <Popover.Popup className={css["popup"]}>
            <Popover.Title className={css["title"]}>{t("history.columnsAbout")}</Popover.Title>
            {all.map((column) => (
              <Check
                key={column}
                label={t(COLUMN_TEXTS[column])}
                checked={shown.includes(column)}
                disabled={shown.length === 1 && shown.includes(column)}
                onChange={() => columns.toggle(column)}
              />
            ))}
            <Key kind="bare" className={css["reset"]} onClick={columns.reset}>
              {t("history.resetColumns")}
            </Key>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

type ChipSelectProps<T extends string> = {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  /** It narrows what is shown. */
  readonly isOn?: boolean;
  readonly onChange: (value: T) => void;
};

/** The browser's own select in the look of a chip: by keyboard, finger and screen reader as everybody knows it. */
export function ChipSelect<T extends string>({ label, options, value, isOn = false, onChange }: ChipSelectProps<T>) {
  return (
    <span className={css["chip"]} data-on={isOn || undefined}>
      <select
        aria-label={label}
        value={value}
        onChange={({ target }) => {
          const chosen = options.find((option) => option.value === target.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}

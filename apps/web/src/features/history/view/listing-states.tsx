import { useText } from "../../../shared/i18n/use-text.ts";
import { Key } from "../../../shared/ui/key.tsx";
import { Notice } from "../../../shared/ui/notice.tsx";
import type { Filters } from "../model/filters.ts";
import { isFiltered, NO_FILTERS } from "../model/filters.ts";
import type { ListingKind } from "../model/row.ts";
import type { OnFilters } from "./filter-bar.tsx";
import { filterWords } from "./filter-words.ts";
import css from "./listing-screen.module.css";

const SKELETON_ROWS = [1, 2, 3, 4, 5, 6, 7, 8];

/** The shape of the rows before they come. */
export function Skeleton() {
  const { t } = useText();
  return (
    <div role="status" className={css["skeleton"]}>
      <span className="visually-hidden">{t("history.loading")}</span>
      {SKELETON_ROWS.map((row) => (
        <span key={row} aria-hidden="true" />
      ))}
    </div>
  );
}

/** The platform has no such listing (decision D-33). */
export function Absent() {
  const { t } = useText();
  return (
    <div role="status">
      <Notice title={t("history.absent")} body={t("history.absentBody")} />
    </div>
  );
}

export function Failed({ reason, onRetry }: { readonly reason: string; readonly onRetry: () => void }) {
  const { t } = useText();
  return (
    <div role="alert">
      <Notice title={t("history.failed")} body={reason}>
        <Key onClick={onRetry}>{t("app.tryAgain")}</Key>
      </Notice>
    </div>
  );
}

type EmptyProps = { readonly kind: ListingKind; readonly filters: Filters; readonly onFilters: OnFilters };

/** No rows: what was searched and which filters are on, and one key that takes them all away. */
export function Empty({ kind, filters, onFilters }: EmptyProps) {
  const speech = useText();
  const { t } = speech;
  if (!isFiltered(filters)) {
    const title = t(kind === "sessions" ? "history.noRowsSessions" : "history.noRowsTransactions");
    return (
      <div role="status">
        <Notice title={title} body={t("history.noRowsBody")} />
      </div>
    );
  }
  const words = filterWords(filters, speech);
  const search = filters.search === "" ? [] : [t("history.searched", { search: filters.search })];
  const on = words.length === 0 ? [] : [t("history.filtersOn", { filters: words.join(", ") })];
  const { size, span } = filters;
  return (
    <div role="status">
      <Notice title={t("history.noMatch")} body={[...search, ...on].join(" ")}>
        <Key onClick={() => onFilters({ ...NO_FILTERS, size, span })}>{t("history.clearFilters")}</Key>
      </Notice>
    </div>
  );
}

import { useText } from "../../../shared/i18n/use-text.ts";
import { Key } from "../../../shared/ui/key.tsx";
import type { PageSize } from "../model/filters.ts";
import { PAGE_SIZES } from "../model/filters.ts";
import { countText } from "../model/times.ts";
import type { Listing } from "../use-listing.ts";
import { ChipSelect } from "./chip-select.tsx";
import css from "./listing-screen.module.css";

type ListingFootProps = {
  readonly listing: Listing;
  readonly shown: number;
  readonly size: PageSize;
  readonly onSize: (size: PageSize) => void;
  readonly onMore: () => void;
};

/** Rows a page, the next page, and how far one has come. */
export function ListingFoot({ listing, shown, size, onSize, onMore }: ListingFootProps) {
  const { t, language } = useText();
  const { total, totalIsMore, hasMore, isLoadingMore, failure } = listing;
  const counts = { shown: countText(shown, language), total: countText(Math.max(total ?? 0, shown), language) };
  const place = totalIsMore ? t("history.shownOfMore", counts) : t("history.shownOf", counts);
  return (
    <div className={css["foot"]}>
      <span className={css["size"]}>
        <span aria-hidden="true">{t("history.perPage")}</span>
        <ChipSelect
          label={t("history.perPage")}
          value={String(size)}
          options={PAGE_SIZES.map((value) => ({ value: String(value), label: String(value) }))}
          onChange={(value) => onSize(PAGE_SIZES.find((one) => String(one) === value) ?? size)}
        />
      </span>
      {failure !== undefined && (
        <p role="alert" className={css["bad"]}>
          {t("history.moreFailed")} {failure}{" "}
          <Key kind="line" onClick={listing.retry}>
            {t("app.tryAgain")}
          </Key>
        </p>
      )}
      {failure === undefined && hasMore && (
        <Key busy={isLoadingMore} onClick={onMore}>
          {t("history.loadMore")}
        </Key>
      )}
      <span role="status" className="num">
        {total === undefined ? t("history.shown", counts) : place}
      </span>
    </div>
  );
}

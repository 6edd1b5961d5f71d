import { useText } from "../../../shared/i18n/use-text.ts";
import css from "./floor.module.css";

const CABINETS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const SIGNS = ["a", "b", "c", "d", "e"];

/** Dark signs and cabinets where brands and machines will stand. */
export function Skeleton({ withBrands }: { withBrands: boolean }) {
  const { t } = useText();
  return (
    <div aria-busy="true">
      <p className="visually-hidden" role="status">
        {t("app.loading")}
      </p>
      {withBrands && (
        <ul className={css["darkSigns"]} aria-hidden="true">
          {SIGNS.map((place) => (
            <li key={place} />
          ))}
        </ul>
      )}
      <ul className={css["floor"]} data-loading aria-hidden="true">
        {CABINETS.map((place) => (
          <li key={place} className={css["dark"]} />
        ))}
      </ul>
    </div>
  );
}

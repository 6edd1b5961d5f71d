import { useText } from "@longarm/ui/i18n/use-text.ts";
import css from "./wheel.module.css";

/** The place as a wheel of the counters, in ivory: it rolls when the place changes. A screen reader reads "place 2". */
export function Wheel({ place, big = false }: { readonly place: number; readonly big?: boolean }) {
  const { t } = useText();
  return (
    <span className={css["wheel"]} data-big={big || undefined}>
      <span key={place} className={css["digits"]} aria-hidden="true">
        {place}
      </span>
      <span className="visually-hidden">{t("queue.place", { place })}</span>
    </span>
  );
}

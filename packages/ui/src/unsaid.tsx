import { useText } from "./i18n/use-text.ts";

/** In the place of a figure that the machine does not say: a dash to see, and the reason for screen readers and the pointer. */
export function Unsaid() {
  const { t } = useText();
  const why = t("app.unsaid");
  return (
    <span data-unsaid title={why}>
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">{why}</span>
    </span>
  );
}

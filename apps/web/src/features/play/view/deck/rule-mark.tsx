import { Icon } from "@longarm/ui/icon.tsx";
import css from "./rule-mark.module.css";

/** A pair of scales: a rule of the market holds this back (component 37). Its control says which. */
export function RuleMark() {
  return (
    <i className={css["rule"]}>
      <Icon name="rule" />
    </i>
  );
}

import { saidOf } from "./draft.ts";
import css from "./settings.module.css";

/** What settings were and become, one a line. */
export function Differences(props: {
  readonly rows: readonly {
    readonly key: string;
    readonly before?: unknown;
    readonly after?: unknown;
    readonly isWrong?: boolean;
  }[];
}) {
  return (
    <ul className={css["diff"]}>
      {props.rows.map(({ key, before, after, isWrong }) => (
        <li key={key}>
          <code className="ltr">{key}</code>
          <span>
            <del dir="auto">{saidOf(before ?? "")}</del> <i aria-hidden="true">›</i>{" "}
            <ins dir="auto" data-wrong={isWrong || undefined}>
              {saidOf(after ?? "")}
            </ins>
          </span>
        </li>
      ))}
    </ul>
  );
}

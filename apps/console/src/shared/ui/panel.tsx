import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import { Key } from "@longarm/ui/key.tsx";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId } from "react";
import { CallProblem } from "../api.ts";
import { problemText } from "../problem-text.ts";
import css from "./panel.module.css";

export { css as panelCss };

/** A sheet of metal with a title: one thing of a page. It loads and fails alone. */
export function Panel(props: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly tools?: ReactNode;
  readonly foot?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={css["panel"]} aria-labelledby={id}>
      <header className={css["head"]}>
        <h2 id={id}>{props.title}</h2>
        {props.about !== undefined && <p>{props.about}</p>}
        {props.tools !== undefined && <div className={css["tools"]}>{props.tools}</div>}
      </header>
      {props.children}
      {props.foot && <footer className={css["foot"]}>{props.foot}</footer>}
    </section>
  );
}

/** What a panel shows of its query: bones while it loads, why it failed with a key to try again, else its rows. */
export function Loaded<T>({
  of: { data, error, isFetching, refetch },
  children,
}: {
  readonly of: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const { t } = useText();
  if (data !== undefined) return children(data);
  if (error !== null) return <Failed error={error} busy={isFetching} again={() => void refetch()} />;
  return (
    <div className={css["bones"]} role="status" aria-busy="true">
      <span className="visually-hidden">{t("app.loading")}</span>
      {[1, 2, 3, 4].map((bone) => (
        <span key={bone} aria-hidden="true" />
      ))}
    </div>
  );
}

function Failed({ error, busy, again }: { error: Error; busy: boolean; again: () => void }) {
  const speech = useText();
  const problem = error instanceof CallProblem ? error : new CallProblem("unreadable");
  return (
    <Empty icon="warning" title={speech.t("app.notLoaded")} body={problemText(speech, problem)}>
      <Key kind="line" busy={busy} onClick={again}>
        {speech.t("app.tryAgain")}
      </Key>
      {problem.request !== undefined && (
        <p className="fine">
          {speech.t("app.requestNumber")} <code className="ltr">{problem.request}</code>
        </p>
      )}
    </Empty>
  );
}

/** Nothing to show, and what was looked through. */
export function Empty(props: {
  readonly icon?: IconName;
  readonly title: string;
  readonly body?: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className={css["empty"]}>
      <Icon name={props.icon ?? "check"} />
      <h3>{props.title}</h3>
      {props.body !== undefined && <p>{props.body}</p>}
      {props.children}
    </div>
  );
}

/** Holds what may be wider than its panel. What scrolls is reached by keyboard. `className`: how it lies in the panel. */
export function Scroller({
  className,
  children,
}: {
  readonly className?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <div className={`${css["scroller"]} ${className ?? ""}`} tabIndex={0}>
      {children}
    </div>
  );
}

/** One part of a sheet, under its own heading. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={css["part"]}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** A note inside a panel or a sheet. */
export function Note(props: { readonly kind?: "plain" | "bad" | "wait"; readonly children: ReactNode }) {
  const kind = props.kind ?? "plain";
  return (
    <div className={css["box"]} data-kind={kind} role={kind === "bad" ? "alert" : undefined}>
      <Icon name={kind === "plain" ? "info" : "warning"} />
      <div>{props.children}</div>
    </div>
  );
}

export function Facts({ rows }: { readonly rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={css["facts"]}>
      {rows.map(([name, value]) => (
        <FactRow key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function FactRow({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** A person in two letters. */
export function Face({ name }: { readonly name: string }) {
  const letters = name.split(/\s+/u).map((word) => [...word][0] ?? "");
  return (
    <span className={css["face"]} aria-hidden="true">
      {letters.slice(0, 2).join("").toLocaleUpperCase()}
    </span>
  );
}

export function Tag({ kind, children }: { readonly kind?: "wait" | "bad"; readonly children: ReactNode }) {
  return (
    <span className={css["tag"]} data-kind={kind}>
      {children}
    </span>
  );
}

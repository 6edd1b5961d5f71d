import type { ReactNode } from "react";
import { useId } from "react";
import { Icon } from "../../../shared/ui/icon.tsx";
import type { IconName } from "../../../shared/ui/icon-paths.ts";
import css from "./profile.module.css";

type PanelProps = {
  readonly title: string;
  readonly icon: IconName;
  /** How many there are of what it lists. */
  readonly count?: number;
  readonly children: ReactNode;
};

/** A card of the profile, with its title. */
export function Panel({ title, icon, count, children }: PanelProps) {
  const id = useId();
  return (
    <section className={css["panel"]} aria-labelledby={id}>
      <header>
        <Icon name={icon} />
        <h2 id={id}>{title}</h2>
        <span className="num">{count}</span>
      </header>
      {children}
    </section>
  );
}

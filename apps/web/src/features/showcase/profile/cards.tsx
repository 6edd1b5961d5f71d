import { Avatar } from "@longarm/ui/avatar.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import type { ReactNode } from "react";
import { useId } from "react";
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

/** Somebody's face, a line about them, and a smaller one. */
export function PersonLine(props: { readonly name: string; readonly small?: string; readonly children: ReactNode }) {
  return (
    <div className={css["person"]}>
      <Avatar name={props.name} />
      <p>
        {props.children}
        {props.small !== undefined && <small>{props.small}</small>}
      </p>
    </div>
  );
}

const files = import.meta.glob<string>("../art/*-*.webp", { eager: true, import: "default" });

/** The machines that were photographed. */
const MACHINES = {
  "nar-1": "Nar 07",
  "nar-2": "Nar 03",
  "kuzey-1": "Kuzey 02",
  "kuzey-3": "Kuzey 05",
  "mercan-1": "Mercan 04",
  "mercan-3": "Mercan 01",
  "pera-1": "Pera 01",
  "pera-2": "Pera 06",
} as const;
export type MachinePicture = keyof typeof MACHINES;

/** A photo of a machine with its name. */
export function Picture({ of }: { readonly of: MachinePicture }) {
  const { t } = useText();
  const machine = MACHINES[of];
  const alt = t("templateSample.pictureOf", { machine });
  return (
    <figure className={css["picture"]}>
      <img src={files[`../art/${of}.webp`]} width={640} height={400} loading="lazy" alt={alt} />
      <figcaption>
        <bdi>{machine}</bdi>
      </figcaption>
    </figure>
  );
}

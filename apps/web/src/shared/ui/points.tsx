import { Icon } from "@longarm/ui/icon.tsx";
import type { IconName } from "@longarm/ui/icon-paths.ts";
import css from "./points.module.css";

/** A short fact with its icon. */
export type Point = { readonly icon: IconName; readonly title: string; readonly about: string };

/** Facts side by side below a title; on a phone one below the other. */
export function Points({ title, points }: { readonly title: string; readonly points: readonly Point[] }) {
  return (
    <section className={css["points"]}>
      <h2>{title}</h2>
      {points.map((point) => (
        <div key={point.title}>
          <Icon name={point.icon} />
          <b>{point.title}</b>
          <p>{point.about}</p>
        </div>
      ))}
    </section>
  );
}

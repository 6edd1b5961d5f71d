import { useText } from "../../../shared/i18n/use-text.ts";
import css from "./profile.module.css";

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

/** A picture of a machine with its name. */
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

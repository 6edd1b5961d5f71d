import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useCallback, useSyncExternalStore } from "react";
import type { TextKey } from "../../../shared/i18n/text-key.ts";
import { CodeSample, Trail, useCopy } from "./samples.tsx";
import css from "./tokens-page.module.css";

/** The tokens of spacing, text, surface and motion as they are now, and the few classes and attributes beside them. */
export function TokensPage({ title }: { readonly title: string }) {
  const { t } = useText();
  return (
    <div className={css["page"]}>
      <Trail here={title} reference="styles" />
      <section className={css["words"]}>
        <h2>{t("gallery.styling")}</h2>
        <p>{t("gallery.stylingAbout")}</p>
        <h2>{t("gallery.marks")}</h2>
        <p>{t("gallery.marksAbout")}</p>
      </section>
      <ul className={css["marks"]}>
        {MARKS.map(({ code, about }) => (
          <li key={code}>
            <p>{t(about)}</p>
            <CodeSample name={code} code={code} />
          </li>
        ))}
      </ul>
      {TOKEN_GROUPS.map((group) => (
        <Group key={group.title} group={group} />
      ))}
    </div>
  );
}

function Group({ group }: { readonly group: TokenGroup }) {
  const { t } = useText();
  const copy = useCopy();
  return (
    <section className={css["words"]}>
      <h2>{t(group.title)}</h2>
      <p>{t(group.about)}</p>
      <ul className={css["tokens"]} data-sample={group.sample}>
        {group.tokens.map((token) => (
          <li key={token} style={{ "--sample": `var(${token})` } as React.CSSProperties}>
            {group.sample !== "none" && (
              <span className={css["sample"]} aria-hidden="true">
                {(group.sample === "text" || group.sample === "ink") && t("gallery.sample")}
              </span>
            )}
            <button
              type="button"
              dir="ltr"
              title={t("gallery.copyOf", { name: token })}
              onClick={() => void copy(`var(${token})`)}
            >
              <code>{token}</code>
              <Value token={token} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What a token is worth now: another palette changes it. */
function Value({ token }: { readonly token: string }) {
  const read = useCallback(() => getComputedStyle(document.documentElement).getPropertyValue(token).trim(), [token]);
  return <span>{useSyncExternalStore(onPalette, read)}</span>;
}

function onPalette(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true });
  return () => observer.disconnect();
}

/** Tokens of one kind, and how a sample shows them. */
type TokenGroup = {
  readonly title: TextKey;
  readonly about: TextKey;
  readonly sample: "bar" | "text" | "fill" | "ink" | "corner" | "none";
  readonly tokens: readonly `--${string}`[];
};

/** What style sheets of pages are written with. All of it is in shared/ui/tokens.css. */
const TOKEN_GROUPS: readonly TokenGroup[] = [
  {
    ...{ title: "gallery.space", about: "gallery.spaceAbout", sample: "bar" },
    tokens: ["--s-1", "--s-2", "--s-3", "--s-4", "--s-5", "--s-6", "--s-7", "--s-8", "--target"],
  },
  {
    ...{ title: "gallery.text", about: "gallery.textAbout", sample: "text" },
    tokens: ["--t-plate", "--t-small", "--t-body", "--t-lead", "--t-h3", "--t-h2", "--t-h1", "--t-hero"],
  },
  {
    ...{ title: "gallery.surfaces", about: "gallery.surfacesAbout", sample: "fill" },
    tokens: ["--room", "--surface", "--raised", "--raised-2", "--sunken", "--line", "--line-strong"],
  },
  {
    ...{ title: "gallery.inks", about: "gallery.inksAbout", sample: "ink" },
    tokens: ["--ink", "--ink-2", "--ink-3", "--money", "--danger"],
  },
  {
    ...{ title: "gallery.lights", about: "gallery.lightsAbout", sample: "fill" },
    tokens: [
      "--brass",
      "--led-available",
      "--led-playing",
      "--led-waiting",
      "--led-reserved",
      "--led-off",
      "--led-fault",
    ],
  },
  {
    ...{ title: "gallery.corners", about: "gallery.cornersAbout", sample: "corner" },
    tokens: ["--r-key", "--r-glass", "--r-cab", "--r-pill"],
  },
  {
    ...{ title: "gallery.motion", about: "gallery.motionAbout", sample: "none" },
    tokens: ["--press", "--quick", "--move", "--pull", "--settle", "--spring", "--leave"],
  },
];

/** What markup is written with: classes and attributes that mean the same everywhere. */
const MARKS: readonly { readonly code: string; readonly about: TextKey }[] = [
  { code: `<p className="plate">…</p>`, about: "gallery.markPlate" },
  { code: `<span className="num">…</span>`, about: "gallery.markNum" },
  { code: `<span className="visually-hidden">…</span>`, about: "gallery.markHidden" },
  { code: `<nav data-region="navbar">…</nav>`, about: "gallery.markRegion" },
  { code: `<code dir="ltr">…</code>`, about: "gallery.markDirection" },
  { code: `<b lang="en">…</b>`, about: "gallery.markLanguage" },
];

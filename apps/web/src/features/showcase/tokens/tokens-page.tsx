import { useCallback, useSyncExternalStore } from "react";
import { useText } from "../../../shared/i18n/use-text.ts";
import { CodeSample, useCopy } from "../parts/copy.tsx";
import { Trail } from "../parts/trail.tsx";
import type { TokenGroup } from "./token-groups.ts";
import { MARKS, TOKEN_GROUPS } from "./token-groups.ts";
import css from "./tokens.module.css";

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

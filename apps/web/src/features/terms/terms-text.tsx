import type { TermsText } from "@longarm/contract/player-terms";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { timeFormat } from "@longarm/ui/time/time-text.ts";
import css from "./terms.module.css";

/** What is new in a version, a line each. */
export function TermsChanges({ terms }: { readonly terms: TermsText }) {
  const { language, changes } = terms;
  if (changes.length === 0) return null;
  return (
    <ul className={css["changes"]} lang={language} dir={dirOf(language)}>
      {changes.map((change) => (
        <li key={change}>{change}</li>
      ))}
    </ul>
  );
}

/** The whole text, in a box of its own where `boxed`. Nothing of it is markup: paragraphs, and lines that begin with `# `. */
export function TermsBody({ terms, boxed = false }: { readonly terms: TermsText; readonly boxed?: boolean }) {
  const { t } = useText();
  const { language, body } = terms;
  const parts = body.split(/\n{2,}/).flatMap((part) => partsOf(part));
  const text = parts.map(({ kind, words }, at) =>
    kind === "heading" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text never changes, and two paragraphs may be the same.
      <h3 key={at}>{words}</h3>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same.
      <p key={at}>{words}</p>
    ),
  );
  if (!boxed)
    return (
      <div className={css["body"]} lang={language} dir={dirOf(language)}>
        {text}
      </div>
    );
  return (
    <section
      className={`${css["body"]} ${css["deed"]}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reached by keyboard.
      tabIndex={0}
      aria-label={t("terms.whole")}
      lang={language}
      dir={dirOf(language)}
    >
      {text}
    </section>
  );
}

/** A heading stands on a line of its own, also without an empty line behind it. */
function partsOf(part: string): { readonly kind: "heading" | "text"; readonly words: string }[] {
  const [first = "", ...rest] = part.trim().split("\n");
  if (!first.startsWith("# ")) return part.trim() === "" ? [] : [{ kind: "text", words: part.trim() }];
  const more = rest.join("\n").trim();
  return [{ kind: "heading", words: first.slice(2) }, ...(more === "" ? [] : [{ kind: "text" as const, words: more }])];
}

const dirOf = (language: TermsText["language"]): "rtl" | "ltr" => (language === "ar" ? "rtl" : "ltr");

/** "Version 4, valid from 1 December 2026". */
export function useVersionLine(): (terms: { readonly number: number; readonly validFrom: string }) => string {
  const { t, language } = useText();
  return ({ number, validFrom }) => {
    const day = timeFormat(language, { day: "numeric", month: "long", year: "numeric" }).format(Date.parse(validFrom));
    return t("terms.version", { number, day });
  };
}

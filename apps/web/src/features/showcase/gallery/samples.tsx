import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { Link } from "@tanstack/react-router";
import { paths } from "../../../shared/paths/paths.ts";
import { useHost } from "../host.ts";
import css from "./samples.module.css";

/** Puts a text on the clipboard and says so, or says that the browser keeps it shut (a page that is not served over TLS). */
export function useCopy(): (text: string) => Promise<void> {
  const { say } = useHost();
  const { t } = useText();
  return async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      say("good", t("gallery.copied", { text: firstLineOf(text) }), TOAST_MS);
    } catch {
      say("bad", t("gallery.notCopied"));
    }
  };
}

const firstLineOf = (text: string): string => (text.includes("\n") ? `${text.slice(0, text.indexOf("\n"))} …` : text);

/** Some lines of code with a key that copies them. */
export function CodeSample({ code, name }: { readonly code: string; readonly name: string }) {
  const { t } = useText();
  const copy = useCopy();
  return (
    <div className={css["sample"]}>
      <pre dir="ltr">
        <code>{code}</code>
      </pre>
      <Key kind="bare" aria-label={t("gallery.copyOf", { name })} onClick={() => void copy(code)}>
        {t("gallery.copy")}
      </Key>
    </div>
  );
}

/** The place of this page in the showcase, and the chapter of the guide about it. */
export function Trail({ here, reference }: { readonly here: string; readonly reference: string }) {
  const { t } = useText();
  return (
    <div className={css["trail"]}>
      <ol aria-label={t("gallery.trail")}>
        <li>{t("gallery.interface")}</li>
        <li aria-current="page">{here}</li>
      </ol>
      <Link to={paths.documentation} hash={reference}>
        {t("gallery.reference")}
      </Link>
    </div>
  );
}

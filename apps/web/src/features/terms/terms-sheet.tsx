import type { TermsGate } from "@longarm/contract/player-terms";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useState } from "react";
import type { ApiClient } from "../../shared/api/client.ts";
import type { ApiFailure } from "../../shared/api/failure.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import css from "./terms.module.css";
import { useAcceptTerms, useTerms, useTermsText } from "./terms.ts";
import { TermsBody, TermsChanges, useVersionLine } from "./terms-text.tsx";

export type TermsSheetProps = {
  readonly api: Pick<ApiClient, "make">;
  /** The version that waits. */
  readonly number: number;
  /** "Not now": nothing is accepted. */
  readonly onLater: () => void;
  /** It is accepted; or what went wrong. */
  readonly onAccepted: (failure?: ApiFailure) => void;
};

/** A version of the terms that the player has not accepted: what changed, the whole text, and both answers at once. */
export function TermsSheet({ api, number, onLater, onAccepted }: TermsSheetProps) {
  const { t, language } = useText();
  const lineOf = useVersionLine();
  const terms = useTerms(api, language);
  const text = useTermsText(api, number, language);
  const accept = useAcceptTerms(api);
  const [busy, setBusy] = useState(false);
  if (text.data === undefined || terms.data === undefined || terms.data === "absent") return null;
  const isFirst = terms.data.versions.length === 1;
  async function say(): Promise<void> {
    setBusy(true);
    const answer = await accept(number);
    setBusy(false);
    onAccepted(answer.ok ? undefined : answer.failure);
  }
  return (
    <Sheet open title={t(isFirst ? "terms.first" : "terms.changed")} className={css["sheet"] ?? ""} onClose={onLater}>
      <div className={css["content"]}>
        <p className={css["line"]}>{lineOf(text.data)}</p>
        <TermsChanges terms={text.data} />
        <TermsBody terms={text.data} boxed />
        <div className={css["twin"]}>
          <Key big onClick={onLater}>
            {t("terms.later")}
          </Key>
          <Key big kind="brass" busy={busy} onClick={() => void say()}>
            {t("terms.accept", { number })}
          </Key>
        </div>
        <p className={css["fine"]}>{t(closesKey(terms.data.before))}</p>
      </div>
    </Sheet>
  );
}

function closesKey(before: readonly TermsGate[]): TextKey {
  if (!before.includes("play")) return "terms.closesNothing";
  return before.includes("deposit") ? "terms.closesBoth" : "terms.closesPlay";
}

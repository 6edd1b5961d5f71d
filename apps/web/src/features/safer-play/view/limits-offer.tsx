import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { ApiError } from "../../../shared/api/failure.ts";
import { failureText } from "../../../shared/i18n/problem-text.ts";
import type { SaferPlayDeps } from "../limits.ts";
import { useLimitChange } from "../limits.ts";
import css from "./limits-offer.module.css";

type OfferProps = {
  readonly deps: SaferPlayDeps;
  /** The player has said "not now". */
  readonly onAnswered: () => void;
};

/** Whether the player would like limits, over the page: both answers alike, and no amount. Closing it is no answer. */
export function OfferSheet({
  deps,
  onAnswered,
  onSet,
  onClose,
}: OfferProps & { readonly onSet: () => void; readonly onClose: () => void }) {
  const { t } = useText();
  const { decline, busy } = useDecline({ deps, onAnswered });
  return (
    <Sheet open title={t("saferPlay.offer")} className={css["sheet"] ?? ""} onClose={onClose}>
      <div className={css["content"]}>
        <p>{t("saferPlay.offerAbout")}</p>
        <div className={css["twin"]}>
          <Key big onClick={onSet}>
            {t("saferPlay.offerSet")}
          </Key>
          <Key big busy={busy} onClick={decline}>
            {t("saferPlay.offerLater")}
          </Key>
        </div>
        <p className={css["fine"]}>{t("saferPlay.offerCloses")}</p>
      </div>
    </Sheet>
  );
}

/** The same on the page of limits, where setting one is the other answer. */
export function OfferPanel(props: OfferProps) {
  const { t } = useText();
  const { decline, busy } = useDecline(props);
  return (
    <section className={css["panel"]} aria-labelledby="limits-offer">
      <div>
        <h2 id="limits-offer">{t("saferPlay.offer")}</h2>
        <p>{t("saferPlay.offerHere")}</p>
      </div>
      <Key big busy={busy} onClick={decline}>
        {t("saferPlay.offerLater")}
      </Key>
    </section>
  );
}

function useDecline({ deps, onAnswered }: OfferProps) {
  const speech = useText();
  const change = useLimitChange(deps);
  const decline = () =>
    change.mutate(
      { is: "decline" },
      {
        onSuccess: onAnswered,
        onError: (error) => {
          const failed = error instanceof ApiError ? failureText(speech, error.failure) : speech.t("app.callFailed");
          deps.messages.say("bad", failed);
        },
      },
    );
  return { decline, busy: change.isPending };
}

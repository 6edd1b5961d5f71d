import type { PlayerSignIn } from "@longarm/contract/player-keys";
import { deviceOf } from "@longarm/contract/user-agent";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { TOAST_MS } from "@longarm/ui/messages.ts";
import { Notice } from "@longarm/ui/notice.tsx";
import { dateTimeText } from "@longarm/ui/time/time-text.ts";
import { useId, useState } from "react";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import css from "./keys.module.css";
import type { KeyEnd, KeysProps } from "./keys.ts";
import { useKeyChanges, useSignIns } from "./keys.ts";
import { endText } from "./proof-sheet.tsx";

/** Where the player is signed in; the others may be ended. Absent where the platform does not say. */
export function SignInsBlock({ api, messages }: KeysProps) {
  const speech = useText();
  const { t } = speech;
  const title = useId();
  const { data, error, refetch } = useSignIns(api);
  const changes = useKeyChanges(api);
  const [busy, setBusy] = useState(false);

  async function run(end: () => Promise<KeyEnd>, done: TextKey): Promise<void> {
    setBusy(true);
    const by = await end();
    setBusy(false);
    if (by.is === "done") messages.say("good", t(done), TOAST_MS);
    else messages.say("bad", endText(speech, by) ?? t("app.callFailed"));
  }

  if (data === "absent") return null;
  return (
    <section className={css["block"]} aria-labelledby={title}>
      <h2 id={title}>{t("keys.signIns")}</h2>
      {data === undefined && error === null && <p role="status">{t("keys.loading")}</p>}
      {data === undefined && error !== null && (
        <div role="alert">
          <Notice title={t("keys.signInsFailed")} body={t("app.callFailed")}>
            <Key onClick={() => void refetch()}>{t("app.tryAgain")}</Key>
          </Notice>
        </div>
      )}
      {data !== undefined && (
        <>
          <ul className={css["rows"]}>
            {data.signIns.map((row) => (
              <SignInRow
                key={row.id}
                row={row}
                busy={busy}
                onEnd={() => void run(() => changes.endSignIn(row.id), "keys.ended")}
              />
            ))}
          </ul>
          {data.signIns.length > 1 && (
            <>
              <Key className={css["go"]} busy={busy} onClick={() => void run(changes.endOthers, "keys.endedOthers")}>
                {t("keys.endOthers")}
              </Key>
              <p className={css["small"]}>{t("keys.endAbout")}</p>
            </>
          )}
        </>
      )}
    </section>
  );
}

/** By what it was made, where it was not the password. */
const BY: Readonly<Partial<Record<PlayerSignIn["how"], TextKey>>> = {
  passkey: "keys.byPasskey",
  recoveryCode: "keys.byRecoveryCode",
  link: "keys.byLink",
  openId: "keys.byOpenId",
};

function SignInRow({ row, busy, onEnd }: { row: PlayerSignIn; busy: boolean; onEnd: () => void }) {
  const { t, language } = useText();
  const device = deviceOf(row.device) || t("keys.unknownDevice");
  const by = BY[row.how];
  return (
    <li>
      <Icon name="player" />
      <div>
        <b>
          <bdi>{device}</bdi>
        </b>
        <span>
          <bdi>{row.address}</bdi>
          {!row.isThis && <> · {t("keys.active", { time: dateTimeText(row.activeAt, language) })}</>}
          {by !== undefined && <> · {t(by)}</>}
        </span>
      </div>
      {row.isThis && <span className={css["here"]}>{t("keys.thisDevice")}</span>}
      {!row.isThis && (
        <Key aria-label={t("keys.endOf", { device })} busy={busy} onClick={onEnd}>
          {t("keys.end")}
        </Key>
      )}
    </li>
  );
}

import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import type { SayMessage } from "@longarm/ui/messages.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { Switch } from "@longarm/ui/switch.tsx";
import { useEffect, useState } from "react";
import type { RingOnDevice } from "../ring.ts";
import css from "./device.module.css";

export type RingChoiceProps = {
  readonly ring: RingOnDevice;
  readonly say: SayMessage;
  /** The machine for which the player waits, to show what a push looks like. */
  readonly machine?: string | undefined;
};

/** The switch for ringing while no page is open. Before the browser asks, a sheet says what will come, and what never. */
export function RingChoice({ ring, say, machine }: RingChoiceProps) {
  const { t } = useText();
  const now = useLive(ring.now);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (ring.now.getState() === undefined) void ring.load();
  }, [ring]);
  if (now === undefined || now === "absent") return null;
  async function silence(): Promise<void> {
    await ring.silence();
    if (ring.now.getState() === "off") say("info", t("device.ringOff"));
  }
  return (
    <div className={css["ring"]} data-ring-choice>
      <Switch
        label={t("device.ring")}
        on={now === "on"}
        disabled={now === "denied"}
        onChange={(on) => (on ? setOpen(true) : void silence())}
      />
      {now === "denied" && <small>{t("device.ringDenied")}</small>}
      <Sheet open={open} onClose={() => setOpen(false)} title={t("device.ringTitle")} className={css["sheet"] ?? ""}>
        <Question {...{ ring, say, machine }} onClose={() => setOpen(false)} />
      </Sheet>
    </div>
  );
}

function Question({ ring, say, machine, onClose }: RingChoiceProps & { readonly onClose: () => void }) {
  const { t, language } = useText();
  const [busy, setBusy] = useState(false);
  async function want(): Promise<void> {
    setBusy(true);
    const rings = await ring.ring(language);
    setBusy(false);
    onClose();
    if (rings) say("good", t("device.ringOn"));
    else say("bad", t(ring.now.getState() === "denied" ? "device.ringDenied" : "device.ringFailed"));
  }
  return (
    <div className={css["question"]}>
      <p>{t("device.ringLike")}</p>
      <div className={css["sample"]}>
        <img src="/icon-192.png" alt="" />
        <b>{t("device.turn", { machine: machine ?? t("device.aMachine") })}</b>
        <small>{t("device.now")}</small>
        <span>{t("device.turnBody", { count: 30 })}</span>
      </div>
      <ul className={css["kinds"]}>
        <li>
          <Icon name="check" />
          {t("device.ringTurn")}
        </li>
        <li>
          <Icon name="check" />
          {t("device.ringAnswer")}
        </li>
        <li data-never>
          <Icon name="close" />
          {t("device.ringNever")}
        </li>
      </ul>
      <div className={css["twin"]}>
        <Key big onClick={onClose}>
          {t("device.ringNo")}
        </Key>
        <Key kind="brass" big busy={busy} onClick={() => void want()}>
          {t("device.ringYes")}
        </Key>
      </div>
      <p className={css["fine"]}>{t("device.ringNote")}</p>
    </div>
  );
}

import type { StopScope } from "@longarm/contract/staff-floor";
import { FormAlert } from "@longarm/ui/form.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Icon } from "@longarm/ui/icon.tsx";
import { Key } from "@longarm/ui/key.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useEffect, useState } from "react";
import { useConsole } from "../console.ts";
import { useKeys } from "../desk.ts";
import { useMay, useOnline } from "../me.ts";
import { problemText } from "../problem-text.ts";
import css from "./emergency-stop.module.css";
import { useRead } from "./queries.ts";
import { useAct } from "./use-act.ts";

/** The first press arms for so long, ms. */
const ARMED_MS = 5_000;

/** In every page's bar for those who may: two presses, and no words before it. It is tried also while the page is not live. */
export function EmergencyStop() {
  const { t } = useText();
  const may = useMay("stop.set");
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!may) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.code !== "Space" || !event.ctrlKey || !event.shiftKey) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [may]);
  useKeys(may ? [{ keys: "Ctrl Shift Space", label: t("app.stop"), run: () => setOpen(true) }] : []);
  if (!may) return null;
  return (
    <>
      <Key kind="danger" className={css["stop"]} aria-label={t("app.stop")} onClick={() => setOpen(true)}>
        <Icon name="warning" />
        <span>{t("app.stop")}</span>
      </Key>
      <Sheet open={open} title={t("app.stop")} onClose={() => setOpen(false)}>
        {open && <StopForm close={() => setOpen(false)} />}
      </Sheet>
    </>
  );
}

function StopForm({ close }: { readonly close: () => void }) {
  const { acts, messages, timers } = useConsole();
  const speech = useText();
  const { t } = speech;
  const online = useOnline();
  const { readAgain } = useAct();
  const floor = useRead("floor");
  const [what, setWhat] = useState("venue:");
  const [isArmed, arm] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<string>();
  useEffect(() => (isArmed ? timers.after(ARMED_MS, () => arm(false)) : undefined), [isArmed, timers]);
  const machines = floor.data?.rows ?? [];
  const groups = [...new Set(machines.flatMap(({ group }) => (group === null ? [] : [group])))];

  async function stop(): Promise<void> {
    if (!isArmed) return arm(true);
    setBusy(true);
    setFailed(undefined);
    const end = await acts.run("stop", {
      fields: { scope: scopeOf(what) },
      summary: { title: t("app.stop"), lines: [] },
    });
    setBusy(false);
    arm(false);
    if (end.is === "failed") return setFailed(problemText(speech, end.problem));
    readAgain(["stops", "floor", "tasks"]);
    messages.say("bad", t("app.stopSent"));
    close();
  }

  return (
    <div className={css["body"]}>
      <p className="soft">{t("app.stopAbout")}</p>
      <label className={css["scope"]}>
        <span>{t("app.stopScope")}</span>
        <select value={what} onChange={({ target }) => setWhat(target.value)}>
          <option value="venue:">{t("app.stopVenue", { count: machines.length })}</option>
          {groups.map((group) => (
            <option key={group} value={`group:${group}`}>
              {t("app.stopGroup", { group })}
            </option>
          ))}
          {machines.map(({ id, name }) => (
            <option key={id} value={`machine:${id}`}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {!online && <FormAlert>{t("app.stopOffline")}</FormAlert>}
      {failed !== undefined && <FormAlert>{`${t("app.stopFailed")} ${failed}`}</FormAlert>}
      <Key
        kind="danger"
        className={css["press"]}
        data-armed={isArmed || undefined}
        busy={busy}
        onClick={() => void stop()}
      >
        {t(isArmed ? "app.stopNow" : "app.stopArm")}
      </Key>
      <Key kind="bare" onClick={close}>
        {t("app.cancel")}
      </Key>
    </div>
  );
}

function scopeOf(what: string): StopScope {
  const [is = "", name = ""] = what.split(/:(.*)/s);
  if (is === "machine") return { is, machine: name };
  return is === "group" ? { is, group: name } : { is: "venue" };
}

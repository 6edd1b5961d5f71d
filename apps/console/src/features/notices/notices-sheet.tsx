import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useConsole } from "../../shared/console.ts";
import { useMe } from "../../shared/me.ts";
import { whenText } from "../../shared/times.ts";
import { deviceLabel } from "../../shared/ui/device-label.ts";
import { Empty, Note } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { useAct } from "../../shared/ui/use-act.ts";
import { NoticeRow } from "./notice-row.tsx";
import css from "./notices.module.css";
import type { NoticesNow } from "./use-notices.ts";

/** The notification centre: what is open first, what was earlier below it; opening it reads all of them. */
export function NoticesSheet({
  now,
  open,
  onClose,
}: {
  readonly now: NoticesNow;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const { t } = useText();
  return (
    <Sheet open={open} title={t("notices.title")} form="end" onClose={onClose}>
      {open && <Centre now={now} onClose={onClose} />}
    </Sheet>
  );
}

function Centre({ now, onClose }: { readonly now: NoticesNow; readonly onClose: () => void }) {
  const { t } = useText();
  const { api } = useConsole();
  const queries = useQueryClient();
  const { rows } = now;
  const [seen] = useState(() => new Map(rows.map(({ seq, read }) => [seq, read])));
  const newest = Math.max(0, ...rows.map(({ seq }) => seq));
  useEffect(() => {
    if (newest === 0) return;
    // A person who opens the list has read it; a refusal leaves it unread.
    api.call("readNotices", { body: { upTo: newest } }).then(
      () => queries.invalidateQueries({ queryKey: ["notices"] }),
      () => undefined,
    );
  }, [api, queries, newest]);
  // While it is open, what was new when it opened stays marked.
  const shown = rows.map((notice) => ({ ...notice, read: seen.get(notice.seq) ?? false }));
  const groups = [
    ["now", shown.filter((notice) => notice.open)],
    ["earlier", shown.filter((notice) => !notice.open)],
  ] as const;
  return (
    <div className={css["centre"]}>
      <SoundLine />
      {rows.length === 0 && <Empty title={t("notices.none")} body={t("notices.noneAbout")} />}
      {groups.map(
        ([name, own]) =>
          own.length > 0 && (
            <section key={name} aria-label={t(`notices.${name}`)}>
              <h3 className={css["plate"]}>{t(`notices.${name}`)}</h3>
              <ul>
                {own.map((notice) => (
                  <NoticeRow key={notice.seq} notice={notice} onLeave={onClose} />
                ))}
              </ul>
            </section>
          ),
      )}
      <p className={css["rule"]}>{t("notices.rule")}</p>
      <Devices />
    </div>
  );
}

function SoundLine() {
  const { t } = useText();
  const { tones } = useConsole();
  const sound = useLive(tones.sound);
  const volume = useLive(tones.volume);
  const isMuted = sound === "muted";
  return (
    <div className={css["sound"]}>
      <IconButton
        icon={isMuted ? "muted" : "volume"}
        label={t(isMuted ? "notices.soundOff" : "notices.soundOn")}
        pressed={!isMuted}
        onClick={() => tones.mute(!isMuted)}
      />
      <label>
        <span className="visually-hidden">{t("notices.volume")}</span>
        <input
          type="range"
          min={5}
          max={100}
          step={5}
          disabled={isMuted}
          value={Math.round(volume * 100)}
          onChange={({ target }) => tones.setVolume(Number(target.value) / 100)}
          onPointerUp={() => tones.play("forYou")}
        />
      </label>
      <span className="fine">{t(isMuted ? "notices.soundOff" : "notices.soundOn")}</span>
    </div>
  );
}

/** Pushes to this device, and the others that receive them. */
function Devices() {
  const { t, language } = useText();
  const { push, clock, messages } = useConsole();
  const { venue } = useMe();
  const devices = useRead("pushDevices");
  const own = useQuery({ queryKey: ["pushState"], queryFn: () => push.state() });
  const { busy, run } = useAct();

  async function add(publicKey: string): Promise<void> {
    try {
      const made = await push.subscribe(publicKey);
      await run("addPushDevice", {
        fields: { ...made, label: deviceLabel(navigator.userAgent), language },
        summary: { title: "", lines: [] },
        reads: ["pushDevices"],
        said: t("notices.deviceOn"),
      });
    } catch {
      messages.say("bad", t("notices.deviceDenied"));
    }
    await own.refetch();
  }
  async function remove(id: string): Promise<void> {
    const done = await run("removePushDevice", {
      params: { id },
      fields: {},
      summary: { title: "", lines: [] },
      reads: ["pushDevices"],
    });
    if (done !== undefined && devices.data?.rows.length === 1) await push.unsubscribe();
    await own.refetch();
  }

  const rows = devices.data?.rows ?? [];
  const key = devices.data?.publicKey;
  return (
    <section className={css["devices"]} aria-label={t("notices.devices")}>
      <h3 className={css["plate"]}>{t("notices.devices")}</h3>
      <p className="fine">{t("notices.deviceAbout")}</p>
      {own.data === "none" && <Note>{t("notices.deviceNone")}</Note>}
      {own.data === "denied" && <Note kind="wait">{t("notices.deviceDenied")}</Note>}
      <ul>
        {rows.map(({ id, label, addedAt }) => (
          <li key={id}>
            <span>
              <b>{label}</b>
              <small>{t("notices.added", { time: whenText(addedAt, clock.now(), venue.timeZone, language) })}</small>
            </span>
            <Key kind="line" busy={busy} onClick={() => void remove(id)}>
              {t("notices.remove")}
            </Key>
          </li>
        ))}
      </ul>
      {own.data === "off" && key !== undefined && (
        <Key kind="line" icon="plus" busy={busy} onClick={() => void add(key)}>
          {t("notices.device")}
        </Key>
      )}
    </section>
  );
}

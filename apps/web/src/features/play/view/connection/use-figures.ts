import { useText } from "../../../../shared/i18n/use-text.ts";
import { LOCALES } from "../../../../shared/money/format.ts";
import type { MediaPath } from "../../state/picture/rtc-port.ts";

/** How figures of the link are written. */
export type Figures = {
  ms(value: number | undefined): string;
  fps(value: number | undefined): string;
  /** `share`: 0 to 1. */
  percent(share: number | undefined): string;
  bitrate(bitsPerSecond: number | undefined): string;
  transport(path: MediaPath): string;
  addresses(path: MediaPath): string;
  picture(path: MediaPath): string;
};

const KINDS = { host: "host", srflx: "srflx", prflx: "prflx", relay: "relayed" } as const;
const NAMES: Readonly<Record<string, string>> = { H264: "H.264" };
const isKind = (kind: string | undefined): kind is keyof typeof KINDS => kind !== undefined && kind in KINDS;

export function useFigures(): Figures {
  const { t, language } = useText();
  const number = (value: number, digits: number): string =>
    new Intl.NumberFormat(LOCALES[language], { maximumFractionDigits: digits }).format(value);
  const unknown = t("connection.unknown");
  const of = (value: number | undefined, write: (value: number) => string): string =>
    value === undefined ? unknown : write(value);
  const kind = (one: string | undefined): string => (isKind(one) ? t(`connection.${KINDS[one]}`) : unknown);
  return {
    ms: (value) => of(value, (ms) => t("connection.ms", { value: number(ms, 0) })),
    fps: (value) => of(value, (fps) => t("connection.fps", { value: number(fps, 0) })),
    percent: (value) => of(value, (share) => t("connection.percent", { value: number(share * 100, 1) })),
    bitrate: (value) =>
      of(value, (bits) =>
        bits < 1_000_000
          ? t("connection.kbits", { value: number(bits / 1_000, 0) })
          : t("connection.mbits", { value: number(bits / 1_000_000, 1) }),
      ),
    transport({ protocol, own, theirs }) {
      if (protocol === undefined) return unknown;
      const word = t(`connection.${protocol}`);
      return own === "relay" || theirs === "relay" ? t("connection.relay", { protocol: word }) : word;
    },
    addresses: ({ own, theirs }) => (own === undefined ? unknown : `${kind(own)} / ${kind(theirs)}`),
    picture: ({ codec, width, height }) =>
      codec === undefined
        ? unknown
        : [NAMES[codec] ?? codec, width !== undefined && height !== undefined && `${width} × ${height}`]
            .filter((part) => part !== false)
            .join(", "),
  };
}

interface Gathered {
  /** Within this time, once for all that want it until then. */
  soon(ms: number): void;
  /** At once, or as soon as what is at work has ended: that began before. */
  now(): void;
}

/** Work that many things want again and again, however fast they do: never twice at a time. */
export function gathered(work: () => Promise<void>): Gathered {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAtWork = false;
  let isWanted = false;
  const run = async () => {
    clearTimeout(timer);
    timer = undefined;
    isWanted = true;
    if (isAtWork) return;
    isAtWork = true;
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isAtWork = false;
  };
  return {
    soon(ms) {
      timer ??= setTimeout(() => void run(), ms);
    },
    now: () => void run(),
  };
}

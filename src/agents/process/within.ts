/** True when one of them has resolved by then. */
export async function within(ms: number, ...promises: Promise<void>[]): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  const inTime = await Promise.race([late.promise, ...promises.map((each) => each.then(() => true))]);
  clearTimeout(timer);
  return inTime;
}

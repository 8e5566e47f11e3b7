/** React reads the variable once, when it is loaded: its other build is slow, and keeps a record of every drawing. */
export async function inProduction<T>(load: () => Promise<T>): Promise<T> {
  const { NODE_ENV: before } = process.env;
  process.env.NODE_ENV = "production";
  try {
    return await load();
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = before;
  }
}

declare module 'ioredis-mock' {
  /** The used part of the in-memory Redis; its commands are methods with lower-case names. */
  class RedisMock {
    eval(script: string, numberOfKeys: number, ...args: string[]): Promise<unknown>;
  }
  export = RedisMock;
}

import AsyncLocation
import GPSDBackend

extension GPSDConfiguration {
  /// For servers on this machine: short retry delays and long timeouts. Tests of a deadline set
  /// their own.
  static func local(_ port: Int) -> Self {
    Self(
      host: "127.0.0.1", port: port,
      reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(40)),
      connectTimeout: .seconds(600), handshakeTimeout: .seconds(600),
      silenceTimeout: .seconds(600))
  }
}

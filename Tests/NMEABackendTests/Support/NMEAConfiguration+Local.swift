import AsyncLocation
import NMEABackend

extension NMEAConfiguration {
  /// For sources on this machine: short retry delays and long timeouts. Tests of a deadline set
  /// their own.
  static func local(_ source: NMEASource, silenceTimeout: Duration = .seconds(600)) -> Self {
    Self(
      source: source,
      reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(40)),
      connectTimeout: .seconds(600), silenceTimeout: silenceTimeout)
  }
}

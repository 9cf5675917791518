import TestSupport

extension RawPublisher.Message {
  /// A location `second` seconds after ``PublisherBench/start``. Other than those of
  /// ``PublisherBench/location(_:)``, its place repeats every 1,000 seconds.
  static func location(
    _ second: Int, of device: String = "jane/boat", isRetained: Bool = false
  ) -> Self {
    Self(
      "owntracks/\(device)",
      #"{"_type":"location","lat":\#(60 + Double(second % 1000) * 1e-5),"lon":24.5,"#
        + #""tst":\#(PublisherBench.start + second),"acc":5}"#, isRetained: isRetained)
  }

  static func lastWill(of device: String = "jane/boat") -> Self {
    Self("owntracks/\(device)", #"{"_type":"lwt","tst":1777863600}"#)
  }
}

import TestSupport

extension RawPublisher.Message {
  /// A location at a second after 2026-05-04 03:00 UTC, as ``PublisherBench`` makes them.
  static func location(
    _ second: Int, of device: String = "jane/boat", isRetained: Bool = false
  ) -> Self {
    Self(
      "owntracks/\(device)",
      #"{"_type":"location","lat":\#(60 + Double(second % 1000) * 1e-5),"lon":24.5,"#
        + #""tst":\#(1_777_863_600 + second),"acc":5}"#, isRetained: isRetained)
  }

  static func lastWill(of device: String = "jane/boat") -> Self {
    Self("owntracks/\(device)", #"{"_type":"lwt","tst":1777863600}"#)
  }
}

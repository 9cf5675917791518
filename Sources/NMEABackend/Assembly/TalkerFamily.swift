/// The talkers whose sentences belong to one receiver. Pure.
enum TalkerFamily: Hashable, Sendable {
  /// GNSS receivers: a receiver of several constellations uses GN for the position, and GP, GL, GA
  /// and others for their satellites.
  case gnss
  /// Another device, such as II for integrated instruments or AI for an AIS transponder.
  case other(String)

  init(_ talker: String) {
    switch talker {
    case "GN", "GP", "GL", "GA", "GB", "BD", "GQ", "QZ", "GI": self = .gnss
    default: self = .other(talker)
    }
  }
}

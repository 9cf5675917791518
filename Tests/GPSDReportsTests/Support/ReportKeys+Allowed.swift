import Foundation

extension ReportKeys {
  /// Removes the numbers that are out of range from a report that another parser has read. The
  /// decoder is expected to return the rest.
  static func allowed(_ object: [String: Any]) -> [String: Any] {
    switch object["class"] as? String {
    case "TPV": return filter(object, tpv)
    case "SKY":
      var object = filter(object, sky)
      if let list = object["satellites"] as? [[String: Any]] {
        object["satellites"] = list.map { filter($0, satellite) }
      }
      return object
    case "ATT", "IMU": return filter(object, attitude)
    case "GST": return filter(object, noise)
    case "TOFF", "PPS": return filter(object, clock)
    case "OSC": return filter(object, oscillator)
    case "DEVICE": return filter(object, device)
    default: return object
    }
  }

  private static func filter<Report>(
    _ object: [String: Any], _ keys: [ReportKey<Report>]
  ) -> [String: Any] {
    var object = object
    for key in keys {
      guard let number = object[key.key] as? NSNumber, key.expected(number.doubleValue) == nil
      else { continue }
      object[key.key] = nil
    }
    return object
  }
}

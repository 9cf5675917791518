import AsyncLocation

extension GNSSFix.Status {
  /// Creates a status from the quality of GGA.
  init?(quality: Int) {
    switch quality {
    case 1: self = .autonomous
    case 2: self = .differential
    case 3: self = .precise
    case 4: self = .rtkFixed
    case 5: self = .rtkFloat
    case 6: self = .deadReckoning
    case 7: self = .surveyed
    case 8: self = .simulated
    default: return nil
    }
  }

  /// Creates a status from the mode of GLL, GNS, RMC or VTG.
  init?(mode: Character) {
    switch mode {
    case "A": self = .autonomous
    case "D": self = .differential
    case "P": self = .precise
    case "R": self = .rtkFixed
    case "F": self = .rtkFloat
    case "E": self = .deadReckoning
    case "M": self = .surveyed
    case "S": self = .simulated
    default: return nil
    }
  }

  /// The rank of a constellation's mode. The fix has the mode with the highest rank.
  var rank: Int {
    switch self {
    case .rtkFixed: 5
    case .rtkFloat: 4
    case .precise: 3
    case .differential: 2
    case .autonomous: 1
    default: 0
    }
  }
}

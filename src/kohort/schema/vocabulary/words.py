"""The words of column names, in English, Italian, German, French and Spanish: what a column of that name tells.

Without accents and capitals, two words as one (`firstname`). A star stands for any ending; a plural s need not be said.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kohort.schema.vocabulary.kinds import Kind

#: Names or numbers that one person has, by what they are.
NAMES: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "name": """
firstname forename givenname lastname surname familyname maidenname middlename fullname nickname personname patientname
customername clientname employeename studentname studname passengername membername contactname namefirst namelast
birthname mothername fathername initials firstnm lastnm fname lname fnam lnam mname signature alias nominativo cognome
nomecognome soprannome denominazione ragionesociale intestatario vorname nachname familienname geburtsname zuname
rufname unterschrift prenom nomfamille nomdefamille nomnaissance nomjeunefille patronyme signataire apellido
nombrecompleto primerapellido segundoapellido firmante lastfirst firstlast""",
        "phone": "phonenumber",
        "ssn": """
ssn socialsecurity sin sinnumber nino insee nss sozialversicherung* rentenversicherung* securitesociale numerosecu
numsecu seguridadsocial numerossocial""",
        "record": """
mrn mrno medicalrecord medrec recordnumber chartnumber hospitalnumber nhs nhsnumber nhsno nhi patientennummer
fallnummer cartellaclinica nosologico numeropatient expediente historiaclinica numerohistoria""",
        "plan": """
insurancenumber policynumber membernumber versichertennummer krankenversicherungsnummer versicherungsnummer
mitgliedsnummer tessera tesserasanitaria tsi tis beneficiarynumber beneficiaryid subscriberid medicareid
medicaidid hicn""",
        "account": """
accountnumber cardnumber creditcard ccnumber iban bic swift kontonummer kreditkarte*""",
        "licence": """
passport drivinglicense driverslicense driverlicense driverslicence ausweis* reisepass* personalausweis* fuhrerschein*
passaporto patente cartaidentita passeport carteidentite pasaporte licensenumber licencenumber certificatenumber""",
        "vehicle": """
licenseplate licenceplate numberplate kennzeichen targa plaque immatriculation matriculavehiculo vehicleid vinnumber
fahrgestell*""",
        "device": "deviceid imei imsi macaddress serialnumber udi deviceserial seriennummer",
        "ip": "ipaddress ip ipv",
        "biometric": """
fingerprint biometric* voiceprint faceprint palmprint irisscan retinascan retinalscan fingerabdruck* improntadigitale
empreintedigitale huelladactilar""",
        "face": "photo photograph foto selfie portrait lichtbild headshot mugshot",
        "other": """
username screenname nomeutente taxid taxcode taxnumber taxpayer tin itin nric aadhaar cpr cpf curp rut bsn pesel nif
nie dni cif nir nuss stnr idnr steuerid* steuernummer steueridentifikation* personalnummer kundennummer matrikelnummer
codicefiscale codfisc codfiscale partitaiva piva matricola numerofiscal nofiscal cedula badgenumber staffnumber
employeenumber studentnumber casenumber uuid guid""",
    }
)

#: Ways to reach one person; where a few values are shared by all, only a word (a phone service, paid by mail).
CONTACTS: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "area": """
address addr street streetaddress indirizzo via civico numerocivico anschrift adresse wohnadresse strasse hausnummer
rue numerorue direccion calle domiciliopostal""",
        "phone": """
phone telephone tel mobile cellphone landline pager cellulare telefono recapito telefon telefonnummer handy handynummer
mobil rufnummer portable movil celular""",
        "fax": "fax telefax faxnumber",
        "email": "email mail emailaddress pec posta courriel correo correoelectronico",
        "device": "device",
        "web": "homepage website url web link webaddress",
        "other": "handle twitter instagram facebook linkedin skype",
    }
)

#: What names a person if it is the whole name of the column.
WHOLE: Final = "first last middle given maiden family surname nom nome name full names who nombre prename"

#: Counts records, where it is the whole name.
ROWS: Final = """
row rows rowid rowname rownames rownum rownumber rowindex rowno index idx ix recno recordno recordid lineno linenumber
line sequence seq seqn seqno seqid sno slno srno serial serialno nrow column1 unnamed lfd lfdnr laufendenummer riga
numeroriga numeroordine ligne numeroligne fila numerofila progressivo
"""

#: An id of whoever or whatever the other words say.
IDS: Final = """
id ids uid pid sid cid eid mid hhid identifier ident idnumber idno idnum identificativo identifiant kennung
identificador pidnum pnr patid patno patnr patnum subjid subjno subjectno caseid caseno sampleid respid respondentid
idcode personid famid matricule persnr personnr matnr matrnr matrikelnr kdnr kundnr kundennr mitarbnr versnr
versichertennr versicherungsnr svnr sozvnr probandennr vpnr mitgliedsnr teilnehmernr schulernr """

#: A name of whoever or whatever the other words say.
NAMING: Final = "name names nm nome nom nombre nombres"

#: An id where nearly every record has its own; else a count or a code of something.
NUMBERING: Final = """
no nr num nbr number numero nummer code cod key schlussel chiave cle clave kode ref reference referenz riferimento case
record chart ticket file folder dossier fall akte aktenzeichen pratica cartella fascicolo invoice order receipt policy
claim contract vertrag contratto contrat contrato card karte carta carte tarjeta konto conto compte cuenta token hash
barcode sample specimen accession encounter visit booking reservation registration protocol protocollo voucher badge
license licence permit serial login nick tag sequence index idx row url account historia storia
"""

#: Those whom a table is about.
PEOPLE: Final = """
person people patient subject subj subjct participant participants respondent resp client cust customer user member
employee emp staff student stud pupil passenger applicant borrower holder owner insured beneficiary donor voter citizen
individual indiv mother father mum dad parent wife husband spouse child baby infant kid twin sibling case partner
victim offender inmate tenant guest contact worker player athlete driver persona paziente soggetto cliente utente
assistito assicurato dipendente studente alunno socio lavoratore madre padre moglie marito figlio bambino patientin
proband teilnehmer kunde kundin nutzer mitglied mitarbeiter schuler mutter vater kind frau mann versicherter personne
sujet utilisateur salarie eleve etudiant adherent assure mere pere conjoint enfant paciente sujeto usuario empleado
estudiante alumno hijo nino personal family household couple
"""

#: Several of those in one word: a number of them counts.
SEVERAL: Final = "staff people personal personale"

#: A postal code.
POSTAL: Final = """
zip zipcode postal postalcode postcode plz cap codpostal codepostal codigopostal codiceavviamento postleitzahl
"""

#: An age.
AGES: Final = """
age ageyears agegroup agegrp agecat ageband ages ageinyears eta alter altersgruppe lebensalter edad
"""

#: The day on which somebody was born.
BIRTHDAYS: Final = """
birthdate birthday dob bdate datanascita datenaissance fechanacimiento
"""

#: The year of it.
BIRTH_YEARS: Final = """
birthyear dobyear yob byear annonascita anneenaissance
"""

#: A part of a state or of a town.
TOWNS: Final = """
city town village county borough municipality parish neighborhood neighbourhood neighbor* suburb* precinct tract smsa
msa fips citta comune provincia quartiere frazione localita ciudad municipio barrio
"""

#: Places, as which a column counts that ends in one (`crime_city`), whatever stands before; parts of bodies and states
#: of health are none of them.
PLACES: Final = f"""
{TOWNS}
district province country nation gemeinde stadt ort wohnort kreis landkreis bundesland viertel ville
commune quartier departement pais paese lugar comunidad
"""

#: Known of a person to neighbours, colleagues or registers, whatever else the name says.
PLAIN: Final = f"""
{POSTAL} {AGES} {BIRTHDAYS} {BIRTH_YEARS}
birth birthmonth birthplace born gender sex male female race ethnic* nationality anni nascita sesso genere razza etnia
geburt* geschlecht ethnie rasse staatsangehorigkeit sexe naissance genre nacimiento sexo genero raza nacionalidad
nazionalita nationalite citizenship cittadinanza marital maritalstatus marstat mstatus latitude longitude
"""

#: The same, where no word says more.
KNOWN: Final = f"""
{TOWNS}
married marr* marriage wed* divorc* widow* single spouse cohabit* civilstatus relation relationship household hh hhsize
househ* famsize family famil* children child childs kids nkids nchild siblings sibl* sibs parents dependent dependents
dependant dependants brother sister firstborn twin place location loc region regio* state province district country
continent nation native nativity area zone ward residence resid* resident domicile urban rural metro metropolitan geo
geography block south north east west birthcountry homeland origin immigra* migrant emigrat* foreign* citizen lat lng
lon long coord* altitude elevation language lang mothertongue accent education educ* edu edlevel schooling school
schol* college degree diploma university univ graduat* highschool yearsofschool major faculty course grade12 class
classe section semester cohort job jobtitle jobcat jobclass title employer employ* employment occup* profession* prof
work* worker workclass industry sector ind department dept division company firm business position rank role seniority
tenure experience exper exp expr yrsexper service hired hiredate retired retire* unemp* selfemp* military veteran vet
army soldier officer volunteer socialclass ses caste tribe clan hours hrs shift overtime commut* travel distance house
housing home homeown* dwelling rooms bedrooms bathrooms tenancy ownership owner renter vehicle car cars make model pet
pets height hgt ht stature weight wgt wt bodyweight bodyheight bwt birthweight shoe* eyes eyecolor hair haircolor hand
handed* dominant skin skincolor complexion size waist waistcirc hip hipcirc date day month year yr yrs years admission
admit* discharge entry exit arrival departure visitdate enrol* registered joined signup started embark* port cabin seat
deck anno mese giorno data ora ore ricovero ingresso uscita dimissione paese stato regione zona domicilio residenza
lingua istruzione titolostudio titolo studio scuola scolarita laurea impiego impiegato lavoro mansione mestiere
occupazione professione qualifica ruolo settore reparto sede dipartimento azienda ditta statocivile coniug* celibe
nubile sposat* vedov* famiglia nucleo figli fratelli sorelle casa abitazione alloggio auto veicolo peso altezza statura
colore occhi capelli mano capofamiglia nazione origine straniero jahr monat tag datum stunden aufnahme entlassung ort
wohnort stadt gemeinde kreis land bundesland staat gebiet viertel geburtsort herkunft sprache bildung* schule
schulabschluss abschluss studium ausbildung beruf* arbeit* tatigkeit beschaftigung stelle branche abteilung firma
familienstand verheiratet ledig geschieden verwitwet haushalt* familie kinder geschwister wohnung haus gewicht grosse
korpergrosse korpergewicht augen haare annee mois jour heures entree sortie ville commune pays departement quartier
lieu langue etude* scolarite niveau ecole diplome emploi travail metier secteur entreprise poste etatcivil
situationfamiliale marie celibataire divorce veuf menage famille enfants fratrie logement maison voiture poids taille
yeux cheveux ano mes dia fecha horas ingreso alta pais estado comunidad lugar residencia idioma lengua educacion
estudios escuela escolaridad nivel titulo empleo trabajo oficio profesion ocupacion puesto empresa departamento
estadocivil casado soltero divorciado viudo hogar familia hijos hermanos vivienda coche altura estatura ojos pelo inst
doctor physician surgeon therapist nurse operator reviewer interviewer examiner investigator rater provider
institution site center centre clinic hospital ospedale klinik hopital clinique clinica talla heimat
black blck white whte hispan* hisp latin* asian afam minority nonwhite cohab* separated ed empl occ reg prov ethn natl
edlev guardian team club sport league medal season beard bald* tattoo* freckle*
"""

#: Known where they stand anywhere inside a word, as in `motheduc` and `hhwohnort`.
STEMS: Final = """
birth geburt naiss nascit nacim gender geschlecht ethni racial nationali staatsang citizen ciudadan cittadin marit
marri kids verheirat spous conjoint coniug conyug widow divorc scheidung sibling geschwist child kinder enfant figli
hijos parent famil famigl haushalt household wohn resid munici gemeinde bundesl province provinc departem village
county countr district urban rural postal educ school schol schul scuol escuel ecole scolar bildung istruz etude
estudi studium diplom graduat colleg univers occup profes employ emploi impieg beruf arbeit lavor trabaj travail
metier industr height eyecol haircol skincol
"""

#: Whose it is, before a word or a beginning that is known: `fathage`, `huseduc`, `mjob`.
RELATIVES: Final = """
m f h w mo fa ma pa mom dad moth fath mother father par hus husb husband wif wife sp spou spouse partn kid kids child
son dau fam hh head hd resp ego self bro sis sib gran mut vat frau mann mer per mari fem mad pad marit mog figl hij
madre padre
"""

#: Amounts of money.
MONEY: Final = """
income inc faminc hhinc salary salar* wage wages pay payroll paycheck payment paid earn* compensation commission bonus
remuneration stipend allowance pension* benefit* welfare foodstamp* revenue turnover profit loss gain capitalgain
capitalloss dividend* interest asset* wealth networth equity stock bond saving* savings checking deposit* balance
overdraft debt* loan* credit* mortgage* instal* installment arrears default delinq* bankrupt* bill billing billamt
charge* cost* fee* fare* price* amount* amt* spend* spent expen* expenditure purchase* rent tax* premium* reimburs*
payout claimamount invoiced limit money cash dollar* euro usd gbp eur chf budget donation* fortune poverty risk
creditrisk creditscore fico wagegap hourlywage monthlyincome reddito redditi stipendio salario retribuzione paga
guadagno entrate ricavo ricavi fatturato patrimonio risparmio risparmi saldo debito debiti prestito mutuo credito spesa
spese costo prezzo importo tariffa canone affitto imposta tassa contributo contributi pensione assegno isee indennita
premio rata einkommen gehalt lohn bruttolohn nettolohn verdienst besoldung rente umsatz gewinn vermogen ersparnis*
guthaben kontostand schuld* kredit* darlehen hypothek* ausgabe* kosten preis betrag gebuhr* miete steuer* beitrag
pramie zuschuss sozialhilfe kaufpreis revenu* salaire* traitementbrut paie gain* chiffreaffaires patrimoine epargne
solde dette* pret emprunt credit depense* cout* prix montant tarif loyer impot* cotisation* prime retraite allocation*
ingresos ingresobruto sueldo salarios remuneracion renta ganancia* facturacion ahorro* deuda* prestamo* hipoteca*
gasto* coste costo* precio importe tarifa alquiler impuesto* cuota account
"""

#: Body, mind and care: measures, diagnoses, treatments, habits, outcomes.
HEALTH: Final = """
health* medical* medic* disease* ill illness* sick* disorder* syndrome* symptom* symptoms diagnos* diag dx icd drg
comorb* complic* patholog* prognos* chronic acute disab* handicap* impair* injur* wound* trauma* allerg* asthma*
cancer* tumor* tumour* carcin* neoplas* benign* malignan* metasta* melanom* leuk* lymph* biops* histol* lesion* node
nodes nodal diab* hypert* hypot* stroke* infarct* cardi* heart* coronar* angin* angio* arrhyth* atrial ventric* ejection
eject* valve* vein arter* aort* vascul* ischem* thal* isch* embol* thromb* clot* anem* anaem* bleed* hemorr* haemorr*
hemo* haemo* hemat* haemat* hepat* liver* cirrh* ascites jaundice gall* bile bili* edema* oedema* kidney* renal* neph*
dialys* urin* bladder* prostat* ovar* uter* cerv* menopaus* menstr* menarche pregnan* preg gravid* parity gestat*
birthdefect abort* miscarr* stillb* contracep* fertil* breast* lact* lung* pulmon* respir* copd pneum* bronch*
tubercul* smok* tobacco* cigar* nicotin* pack packyears packyrs alcohol* alco* drink* drunk* drug* cocain* heroin* opi*
opioid* marij* cannabis* addict* substance* overdos* hiv aids cd4* cd8* viral* virus* bacter* infect* sepsis septic*
fever* covid* influenza flu vaccin* immun* antibod* antigen* titer titre rash* skinlesion pain* ache* headache*
migrain* nausea* vomit* cough* fatigue* dizz* depress* anxi* stress* mental* psych* bipolar* schizo* autis* adhd
dementia* alzheim* cognit* mmse iq suicid* selfharm sleep* insomn* apnea* seizure* epilep* neuro* parkins* sclerosis*
paraly* brain* therap* treatment* treatments chemo* radiat* radioth* surg* operat* transplant* implant* prosthe* dose*
dosage* dosing prescri* medication* insulin* statin* aspirin* antibio* steroid* rehab* icu los lengthofstay inpatient
outpatient emergency ambul* hospitali* readmi* diet* exerc* physactive physactivity physical* nutri* calor* obes* bmi
fat bodyfat karno* ecog apache saps sofa apgar barthel glasgow gcs nihss asa nyha killip gleason tnm bp sbp dbp abp
systol* diastol* trestbps bloodpressure bpsys bpdia pulse* hr hrate heartrate bpm temperature spo oxygen* sao pao pco
fev fvc bloodtype bloodgroup blood* plasma* serum* lab labs laborator* chol* cholest* hdl ldl vldl trig* triglycer*
lipid* glucose* glyc* hba1c a1c hbaic fbs ogtt crea* creat* bun urea* uric egfr gfr albumin* globul* protein* ast sgot
sgpt alp alk alkphos phosphat* ggt ldh amylas* lipas* ck ckmb tropon* bnp crp esr wbc rbc hgb hb hct hematocrit mcv mch
mchc rdw plt platelet* neutro* eosin* baso* monocyt* reticul* inr ptt aptt protime prothromb* fibrin* ddimer ferrit*
transferr* iron zinc copper calcium sodium potassium chlor* magnes* phosph* bicarb* lactate* vitamin* folate b12 tsh t3
t4 thyro* cortisol testost* estr* oestr* progest* estradiol fsh hcg prolactin psa cea afp ca125 her2 hormon* hormone
horm pgr brca* genotyp* allele* snp* apoe mutation* dna rna ecg ekg restecg restingbp qrs qt exang oldpeak mri xray
scan* ultras* echo* endoscop* spirom* hear* vision visual* eyesight glasses blind* deaf* dental* tooth* teeth* caries
dead death* died die deaths deceas* alive surviv* mortal* fatal* lethal* relaps* recur* remis* recover* cured progres*
dfs futime fustat outcome* vital vitalstatus causeofdeath adverse* sideeff* toxic* fracture* arthr* osteo* rheum* bone*
spine muscl* cyst* fibros* stenos* ulcer* crohn* colitis* colon rectal* gastr* pancr* stroma* derma* eczem* psoria*
acne salute sanit* malatt* diagnosi* patolog* sintom* cura cure terapi* farmac* medicin* visita esito* decesso morte
morto deceduto guarig* invalid* disabilit* inferm* prognosi gravidanz* fumo fumator* alcol* droga droghe pressione*
glicem* colesterol* emoglob* creatinin* piastrin* sangue dolore allergi* tumore* ricoverato intervent* chirurg* esame
esami dieta gesundheit* krank* erkrank* diagnose* beschwerde* behandl* medikament* arznei* befund* blut* blutdruck
puls* zucker* cholesterin* kreatinin* raucher* rauch* alkohol* droge* schwanger* behinder* pflege* tod verstorb*
gestorb* uberleb* todesursache schmerz* fieber* impf* operation* allergie* krebs* verletz* sante maladie* malade*
symptome* traitement* medicament* soin* ordonnance deces mort* decede guer* grossesse enceint* fumeur* tabac* alcool*
drogue* tension* glycem* cholesterol* sang* douleur* fievre* invalidite vacc* salud enferm* diagnostic* sintoma*
tratamiento* fallec* muerte* muerto* defunc* embaraz* fumador* tabaquismo droga* presion* glucemia* colesterol sangre*
dolor* fiebre* discapac* minusval* alergia* cirug* vacuna* alt gene genetic* ph ct temp nursing gluc*
schwerbehinder*
"""

#: Belief, politics, sexuality, crime, ratings and attitudes.
PRIVATE: Final = """
relig* faith* church* belief* believ* denomination christian* muslim* islam* jewish* catholic* protestant* atheis* pray*
polit* party partyid vote* voted voting ballot* election* elector* elected ideolog* liberal* conserv* democrat*
republican* left leftright union unionized unionmember sexual* sexor* homo* gay* lesbian* bisex* lgbt* orient*
transgender* intercourse condom infidel* adulter* extramarital fidelity crime* crimin* arrest* convict* felon* misdem*
offens* offence* prison* jail* incarcer* sentenc* parole* probation* recid* charged* juvenile priors violen* guilt*
verdict* police* custody abus* assault* theft* victimi* rating* opinion* attitud* satisf* happ* unhapp* trust* approv*
agree* evaluat* apprais* perform* review* feedback* complain* score* gpa grades marks mark exam* result* promotion*
attrition* churn* fired layoff* dismiss* lonel* worr* selfesteem motivation* commitment* involvement* wellbeing lifesat*
confiden* prefer* secret* password* religion* fede confession* credo partito* politic* voto orientament* sindacat*
condann* reato reati pena carcere arrestat* giudizio* valutazion* punteggio* soddisf* voti konfession* glaube* kirche*
partei* gewerkschaft* wahl* straf* haft* vorstraf* verurteil* urteil* bewertung* zufrieden* meinung* einstellung* note
noten leistung* weltanschau* croyance* culte* syndicat* condamn* delit* peine* detention* satisfaction* evaluation*
creencia* iglesia* partido* sindicato* votos delito* condena* carcel* satisfaccion* valoracion* calificacion*
puntuacion*
"""

#: How many people of a population a record of a sample stands for.
WEIGHTS: Final = """
fnlwgt finalwgt finalwt finalweight wtfinal weightfinal wgtfinal sampwt sampwgt sampleweight samplewt sampweight
samplingweight personweight personwt perwt perweight pweight pweights pwgt* wgtp* repwt* repwgt* repweight*
replicateweight hhwt hhweight householdweight asecwt asecwth wtss* wtmec* wtint* surveyweight surveywt svywt
designweight designwt
baseweight basewt nweight popweight popwt weighting wgtfactor weightfactor expansionfactor expfactor
pond ponder* ponderation poidsfinal poidsind poidsmen poidssondage poidsindividu coefpond coefponderation coefextrap*
extri* pesofinale pesofit pesocampionario pesocampione pesopop coefriporto coeffriporto riporto* fattoreespansione
hochrech* hrf gewichtung* designgewicht repgewicht stichprobengewicht personengewicht haushaltsgewicht
pesofinal pesomuestral factorexpansion factorelevacion fexp facexp* elevacion pesopoblacion
"""

#: What may be such a weight, or that of a body: its numbers decide.
HEAVY: Final = "weight weights wgt wt peso poids gewicht"

#: What numbers stand for that are no quantities: places, trades, and codes of anything.
CODES: Final = f"""
{POSTAL} {TOWNS} region regio* state statefip* stfips fips fip province district country county land occ occ1990 occup*
job profession* prof beruf* metier oficio ocupacion profesion professione industry ind sector branch branche nace isco
isic naics sic soc icd atc nuts code codes cod codice codigo kode kennziffer schlussel cle chiave clave key id ids
dept department division position
"""

#: How long something took, or until something happened.
TIME: Final = """
time duration days months weeks minutes seconds followup followuptime survtime survivaltime timetoevent futime ttoe
stay wait* delay* latency elapsed lag tempo durata dauer zeit verweildauer duree temps duracion tiempo attesa espera
"""

#: What belongs to health where most of the table does.
CLINICAL: Final = """
status stage event grade cens censor* censored response level type group end endpoint start stop baseline base follow
stadio stadium stade estadio prior post pre strat* etype extent differ
"""

#: What a trial assigns by lot.
ARMS: Final = """
trt treat treated arm arms rx trialarm trtgrp trtgroup allocation allocated randomi* placebo intervention controlgroup
braccio studienarm bras brazo
"""

#: What says nothing by itself, and may stand beside a word that does.
FILLERS: Final = """
total tot mean avg ave average med median max min sum net gross annual yearly monthly weekly daily hourly per of at in
is has had ever any first last prev previous current curr new old pre post my the kg cm mm lbs lb mg dl ml mmhg percent
pct rate ratio level lvl value val measure flag ind yes group grp cat band type status unit units raw log std hist
history date dt on to size count cnt num nr no number numb yr yrs year years mo mos month months day days off class
"""

#: Quantities: numbers even where they have few values.
QUANTITIES: Final = """
age ageyears eta anni alter edad year years yr yrs anno jahr annee ano height hgt ht altezza grosse taille altura
weight wgt wt peso gewicht poids hours hrs ore stunden heures horas tenure experience exper exp distance latitude
longitude lat lng lon
"""

#: The part of a name that stands for a kind, where no topic needs it.
FURTHER: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "name": "patientenname kundenname mitarbeitername nomcomplet",
        "fax": "faxnummer telecopie telecopieur",
        "record": "krankenakte dossiermedical healthrecord",
        "licence": "permisconduire permisoconducir carnetconducir",
        "area": """
stadt gemeinde landkreis wohnort ort geburtsort ville arrondissement birthplace placeofbirth luogonascita
lugarnacimiento lieunaissance""",
        "date": "date datum fecha datetime timestamp",
        "month": "month mese monat mois mes",
        "birthday": "datebirth geburtsdatum geburtstag",
        "birth year": "yearbirth geburtsjahr anonacimiento",
        "vehicle": "vin",
        "device": "sn",
        "biometric": "retina iride huella empreinte impronta",
    }
)

#: What stands for a kind beside a word for a number or an id: the number of an account, not its balance.
NUMBERED: Final[Mapping[Kind, str]] = MappingProxyType(
    {
        "record": "chart cartella dossier",
        "plan": """
plan healthplan insurance healthinsurance policy insured subscriber beneficiary member medicare medicaid kasse
krankenkasse versicherten polizza assicurato mutuelle assure poliza afiliado""",
        "account": """
account acct bank bankaccount konto bankkonto conto contocorrente compte cuenta card karte carta carte""",
        "licence": """
license licence lic certificate cert zertifikat certificato certificat certificado licenza lizenz approbation
permit albo visa""",
        "vehicle": "vehicle car veicolo fahrzeug vehicule vehiculo chassis telaio registration plate",
        "device": "device serial seriale serie gerat appareil dispositivo implant implantat pacemaker sensor",
    }
)

#: Words that join others and say nothing: `numero di conto`.
JOINING: Final = "of the di del della delle de des du la le der das and"

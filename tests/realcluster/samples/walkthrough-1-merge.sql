-- Two tables flow through a temporary copy each into sample_merge; one of the copies is gone
-- before anybody lists the metastore.
create table sample_07 (code string, description string, total_emp int, salary int);
create table sample_08 (code string, description string, total_emp int, salary int);
create table sample_merge (code string, description string, total_emp int, salary int);
create table temp_sample_07 as select * from sample_07;
create table temp_sample_08 as select * from sample_08;
insert into table sample_merge select * from temp_sample_07;
insert into table sample_merge select * from temp_sample_08;
drop table temp_sample_08;
